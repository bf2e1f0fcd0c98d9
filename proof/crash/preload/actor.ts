// The current actor: the operation of a request, the running job, or the clock. It is part of a point's name.
import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitter } from 'node:events';
import contract from '../../../openapi/generated/openapi.json' with { type: 'json' };
import { routesOf } from './routes.ts';

const actors = new AsyncLocalStorage<string>();
const labels = new Map<string, string>();

export const actor = (): string => actors.getStore() ?? 'start';

/** Records the name of a job that was taken. */
export const nameJob = (id: string, label: string): void => void labels.set(id, label);

export const jobsNamed = (ids: string[]): string[] => ids.map((id) => labels.get(id) ?? 'a job');

type Asked = { method?: string; url?: string };
type Started = { job?: { id: unknown } };

/** From now on every request, job and timer has a name. */
export function nameActors(): void {
  const operationOf = routesOf(contract.paths);
  // Called with the emitter it belongs to.
  // oxlint-disable-next-line typescript/unbound-method
  const emit = EventEmitter.prototype.emit;
  EventEmitter.prototype.emit = function emitNamed(event: string | symbol, ...args: unknown[]) {
    const forward = () => Reflect.apply(emit, this, [event, ...args]) as boolean;
    if (event === 'request' && args.length === 2) {
      const { method, url } = args[0] as Asked;
      return actors.run(operationOf(method, url) ?? 'no operation', forward);
    }
    // The queue emits this right before it calls the task, in the task's async context.
    if (event === 'job:start') actors.enterWith(jobsNamed([String((args[0] as Started).job?.id)])[0] ?? '');
    return forward();
  };
  const repeat = globalThis.setInterval;
  const repeatNamed = (work: () => void, ...rest: [number]) =>
    repeat(() => actors.run('timer', work), ...rest);
  globalThis.setInterval = Object.assign(repeatNamed, repeat) as typeof repeat;
}
