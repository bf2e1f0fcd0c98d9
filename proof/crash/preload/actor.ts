// The current actor: the operation of a request, the type of the running work, an operator's command, or the clock. It is part of a
// point's name.
import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitter } from 'node:events';
import contract from '../../../openapi/generated/openapi.json' with { type: 'json' };
import { routesOf } from './routes.ts';

const actors = new AsyncLocalStorage<string>();

/** A process of the command line runs one command, and its parent names it. */
const initial = process.env['CRASH_ACTOR'] ?? 'start';

export const actor = (): string => actors.getStore() ?? initial;

export const asActor = <Result>(name: string, work: () => Result): Result => actors.run(name, work);

type OutgoingRequest = { method?: string; url?: string };

/** From now on every request and timer has a name. */
export function nameActors(): void {
  const operationOf = routesOf(contract.paths);
  // Called with the emitter it belongs to.
  // oxlint-disable-next-line typescript/unbound-method
  const emit = EventEmitter.prototype.emit;
  EventEmitter.prototype.emit = function emitNamed(event: string | symbol, ...args: unknown[]) {
    const forward = () => Reflect.apply(emit, this, [event, ...args]) as boolean;
    if (event !== 'request' || args.length !== 2) return forward();
    const { method, url } = args[0] as OutgoingRequest;
    return asActor(operationOf(method, url) ?? 'no operation', forward);
  };
  const repeat = globalThis.setInterval;
  const repeatNamed = (work: () => void, ...rest: [number]) => repeat(() => asActor('timer', work), ...rest);
  globalThis.setInterval = Object.assign(repeatNamed, repeat) as typeof repeat;
}
