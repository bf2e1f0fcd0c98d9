// Who is acting: the operation of a request, the job in hand, or the clock. A point says so in its name.
import { AsyncLocalStorage } from 'node:async_hooks';
import { Server } from 'node:http';
import contract from '../../../openapi/generated/openapi.json' with { type: 'json' };
import { routesOf } from './routes.ts';

const actors = new AsyncLocalStorage<string>();
const labels = new Map<string, string>();
let jobInHand = 'start';

/** Without a request or a timer it is the worker, which in these runs has one job in hand at a time. */
export const actor = (): string => actors.getStore() ?? jobInHand;

export function takeJob(id: string, label: string): void {
  labels.set(id, label);
  jobInHand = label;
}

/** Which jobs a statement of the queue is about. */
export const jobsNamed = (ids: string[]): string => ids.map((id) => labels.get(id) ?? 'a job').join(', ');

/** From now on every request and every timer is known by its name. */
export function nameActors(): void {
  const operationOf = routesOf(contract.paths);
  // Called with the server it belongs to.
  // oxlint-disable-next-line typescript/unbound-method
  const emit = Server.prototype.emit;
  Server.prototype.emit = function emitNamed(this: Server, event: string | symbol, ...args: unknown[]) {
    const forward = () => Reflect.apply(emit, this, [event, ...args]) as boolean;
    const [request] = args as [{ method?: string; url?: string }?];
    return event === 'request'
      ? actors.run(operationOf(request?.method, request?.url) ?? 'no operation', forward)
      : forward();
  };
  const repeat = globalThis.setInterval;
  const repeatNamed = (work: () => void, ...rest: [number]) =>
    repeat(() => actors.run('timer', work), ...rest);
  globalThis.setInterval = Object.assign(repeatNamed, repeat) as typeof repeat;
}
