// What every part of the sandbox is given: the store, fault injection, the clock and the timers of its queues.
import type { Clock } from './clock.ts';
import type { FaultInjection } from './fault-injection/fault-injection.ts';
import type { SandboxOptions } from './options.ts';
import type { Store } from './store/store.ts';

export interface World {
  options: SandboxOptions;
  store: Store;
  faultInjection: FaultInjection;
  /** The address that pages and issuers carry, without a slash at the end. */
  baseUrl: string;
  /** Milliseconds since 1970. */
  now(): number;
  clock: Clock;
  /** Tells the settlement, the callbacks or the late requests that a row falls due then. */
  wake: Record<'settlement' | 'callbacks' | 'lateRequests', (dueAt: number) => void>;
}
