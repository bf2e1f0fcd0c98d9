// A provider that receives a request late: the connection breaks without an answer, repetitions are answered with a refusal,
// and what was sent first is judged when it arrives.
import { ProviderRefusal, ProviderUnknown, type RefusalCode } from '../../src/provider/errors.ts';
import type { Provider } from '../../src/provider/port.ts';
import { until } from './until.ts';
import type { World } from './world.ts';

type Write = 'createTransfer' | 'createPayout' | 'reissuePayout';
type Find = 'findTransfer' | 'findPayout';

export type LateRequests = {
  /** How many requests were sent under the handle, answered or not. */
  sent: () => number;
  /** The unanswered request reaches the provider now. */
  arrive: () => Promise<unknown>;
  /** Resolves when the handle has been looked up once more, and nothing was found. */
  lookedUpInVain: () => Promise<void>;
  end: () => void;
};

const findOf: Record<Write, Find> = {
  createTransfer: 'findTransfer',
  createPayout: 'findPayout',
  reissuePayout: 'findPayout',
};

/**
 * @param handle the requests meant; all of this kind when it is left away.
 * @param answers what happens to the first request, the second and so on, the last for all that follow: `lost` is not
 *   answered, and kept for later; `through` is what the provider says.
 */
export function receiveLate(
  { service: { app } }: World,
  write: Write,
  answers: ('lost' | 'through' | RefusalCode)[],
  isMeant: (request: { handle: string }) => boolean = () => true,
): LateRequests {
  const { provider } = app;
  const real = provider[write] as (request: { handle: string }) => Promise<never>;
  const find = provider[findOf[write]] as (handle: string) => Promise<{ attempt?: number } | null>;
  const lost: { handle: string }[] = [];
  let sent = 0;
  let lookedUp = 0;
  app.provider = {
    ...provider,
    [write]: async (request: { handle: string }) => {
      if (!isMeant(request)) return real(request);
      const next = answers[Math.min(sent, answers.length - 1)] ?? 'through';
      sent += 1;
      if (next === 'through') return real(request);
      if (next !== 'lost') throw new ProviderRefusal(next, write);
      lost.push(request);
      throw new ProviderUnknown(write, 'no usable answer');
    },
    [findOf[write]]: async (handle: string) => {
      const found = await find(handle);
      if (isMeant({ handle })) lookedUp += 1;
      return found;
    },
  } as Provider;
  return {
    sent: () => sent,
    arrive: () => Promise.all(lost.splice(0).map((request) => real(request))),
    lookedUpInVain: async () => {
      const before = lookedUp;
      await until(
        async () => lookedUp,
        (many) => many > before,
      );
    },
    end: () => {
      app.provider = provider;
    },
  };
}
