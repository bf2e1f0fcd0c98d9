// A provider that receives a request late: the connection breaks without an answer, repetitions are refused, and the first request
// is processed when it arrives.
import { OutcomeUnknown, ProviderRefusal, type RefusalCode } from '../../src/provider/errors.ts';
import type { Provider } from '../../src/provider/port.ts';
import { letTimePass } from './outbox.ts';
import { until } from './until.ts';
import type { World } from './world.ts';

type Write = 'createTransfer' | 'createPayout' | 'reissuePayout';
type Answer = 'lost' | { lostFor: number } | 'through' | RefusalCode;

export type LateRequests = {
  /** How many requests were sent under the handle, answered or not. */
  sent: () => number;
  /** Makes the unanswered request reach the provider now. */
  arrive: () => Promise<unknown>;
  end: () => void;
};

/**
 * @param answers the result of the first request, the second and so on. The last one applies to all further requests. `lost` is not
 *   answered, and kept for later. `lostFor` is also lost, and a repetition waits this many milliseconds. `through` returns what the
 *   provider answers.
 * @param isMeant selects the affected requests. Without it, all requests of this kind are affected.
 */
export function receiveLate(
  { service: { app } }: World,
  write: Write,
  answers: Answer[],
  isMeant: (request: { handle: string }) => boolean = () => true,
): LateRequests {
  const { provider } = app;
  const real = provider[write] as (request: { handle: string }) => Promise<never>;
  const lost: { handle: string }[] = [];
  let sent = 0;
  app.provider = {
    ...provider,
    [write]: async (request: { handle: string }) => {
      if (!isMeant(request)) return real(request);
      const next = answers[Math.min(sent, answers.length - 1)] ?? 'through';
      sent += 1;
      if (next === 'through') return real(request);
      if (typeof next === 'string' && next !== 'lost') throw new ProviderRefusal(next, write);
      lost.push(request);
      const retryAfterMs = next === 'lost' ? null : next.lostFor;
      throw new OutcomeUnknown(write, 'no usable answer', { retryAfterMs });
    },
  } as Provider;
  return {
    sent: () => sent,
    arrive: () => Promise.all(lost.splice(0).map((request) => real(request))),
    end: () => {
      app.provider = provider;
    },
  };
}

type Effect = {
  status: string;
  attempts: number;
  last_unknown_at: Date | null;
  held_refusal: string | null;
  leased_by: string | null;
};

/**
 * @param effectOf reads an effect that has an unanswered request.
 * @returns the pending refusal, once the attempt that received it is over. Null if the refusal was final.
 */
export async function heldRefusal(effectOf: () => Promise<Effect>): Promise<string | null> {
  const { held_refusal: held } = await until(
    effectOf,
    (effect) =>
      (effect.held_refusal !== null && isPostponed(effect)) ||
      (effect.status !== 'queued' && effect.last_unknown_at !== null),
  );
  return held;
}

/**
 * Lets time pass for a waiting effect, until an attempt after that time has decided something and is over.
 * @param ms longer than the effect waits for its next attempt.
 */
export async function decidesAfter(world: World, effectOf: () => Promise<Effect>, ms: number): Promise<void> {
  const { attempts } = await until(effectOf, isPostponed);
  await letTimePass(world, ms);
  await until(
    effectOf,
    (effect) => effect.status !== 'queued' || (isPostponed(effect) && effect.attempts > attempts),
  );
}

/** Whether the effect waits for its next attempt and no process has it. */
const isPostponed = ({ status, leased_by: process }: Effect): boolean =>
  status === 'queued' && process === null;
