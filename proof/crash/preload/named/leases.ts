// Replaces src/outbox/leases.ts: names a take-over, and the search for orphaned leases, which the clock starts.
import * as leases from '../../../../src/outbox/leases.ts';
import { asActor } from '../actor.ts';

export const takeOver: typeof leases.takeOver = (...args) =>
  asActor('take-over', () => leases.takeOver(...args));

export const releaseOrphanedLeases: typeof leases.releaseOrphanedLeases = (...args) =>
  asActor('orphans', () => leases.releaseOrphanedLeases(...args));
