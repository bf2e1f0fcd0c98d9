// The state that the parts of one process's engine share, its lease owner id, and the methods that the parts call on each other.

import type { Clock } from '../domain/clock.ts';
import type { Log } from '../domain/log.ts';
import type { Db } from '../tables/orm.ts';
import type { WorkKind } from '../tables/work.ts';
import type { LocalWork } from './local-work.ts';
import type { WorkHandler } from './work.ts';

export type EngineCore = {
  db: Db;
  log: Log;
  clock: Clock;
  local: LocalWork;
  handlers: Record<WorkKind, WorkHandler>;
  /** Says that a piece of work starts. @param seconds how long it was due before. */
  waited: (kind: WorkKind, seconds: number) => void;
  /** The operations of the provider that it does not answer at present. */
  failingOperations: () => string[];
  pausedTypes: () => Promise<ReadonlySet<string>>;
  owner: () => string;
  /** Returns whether this process may start work: it is not stopping, and its heartbeat is fresh. */
  mayStart: () => boolean;
  startQueued: () => void;
  /** Says that work of these kinds may be due, so that the next claim looks for it. */
  expectDue: (kinds: readonly WorkKind[]) => void;
  claimSoon: () => void;
};
