// Stands in for src/outbox/leases.ts: a take-over has a name, and so has the search for orphaned leases, which is by the clock.
import * as leases from '../../../../src/outbox/leases.ts';
import { asActor } from '../actor.ts';

export const takeOver: typeof leases.takeOver = (...args) =>
  asActor('take-over', () => leases.takeOver(...args));

export const releaseOrphanedLeases: typeof leases.releaseOrphanedLeases = (...args) =>
  asActor('orphans', () => leases.releaseOrphanedLeases(...args));
