// The dependencies of every part of the sandbox: the store, fault injection, the clock and the timers of its queues.
import type { CallbackLog } from './callback-log.ts';
import type { Clock } from './clock.ts';
import type { FaultInjection } from './faults/fault-injection.ts';
import type { SandboxOptions } from './options.ts';
import type { Seams } from './seams.ts';
import type { Store } from './store/store.ts';

export interface SandboxContext {
  options: SandboxOptions;
  store: Store;
  faultInjection: FaultInjection;
  /** The points at which faults change what the provider does. */
  seams: Seams;
  callbackLog: CallbackLog;
  /** The address that pages and issuers use, without a trailing slash. */
  baseUrl: string;
  /** Milliseconds since 1970. */
  now: () => number;
  clock: Clock;
  /** Notifies the settlement, the callbacks or the late requests that a row becomes due at this time. */
  wake: Record<'settlement' | 'callbacks' | 'lateRequests', (dueAt: number) => void>;
}
