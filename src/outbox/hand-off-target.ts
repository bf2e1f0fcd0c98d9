// Receives what this process commits: leases each piece before its commit, and queues it after.
import type { EngineCore } from './core.ts';
import { type HandOffTarget, newLease } from './hand-off.ts';
import { waitsInMemory } from './payment-waits.ts';
import { releaseQueued, releaseUnstarted } from './run.ts';
import type { Work } from './work.ts';

/** The kinds of work that requests and callbacks commit. */
export const committedKinds = ['effect', 'callback'] as const;

export function createHandOffTarget(core: EngineCore): HandOffTarget {
  const { local } = core;
  return {
    lease: (work) => {
      const lease = newLease(core.owner());
      const isReserved = core.mayStart() && local.reserve({ ...work, token: lease.token }, lease.owner);
      return isReserved ? lease : null;
    },
    committed: (works, overflow) => {
      if (overflow > 0) core.expectDue(committedKinds);
      if (works.length === 0) return;
      const owner = core.owner();
      const surplus: Work[] = [];
      for (const work of works) {
        // After a takeover another process has the lease.
        if (local.find(work.id)?.owner !== owner) continue;
        // The user of a callback is known only after it was stored.
        if (work.kind === 'callback' && local.isUserAtLimit(work.userId)) surplus.push(work);
        else local.queue('handed_off', work, owner);
      }
      local.removeIds(surplus.map(({ id }) => id));
      if (surplus.length > 0)
        void releaseUnstarted(core, surplus, owner).then(() => core.expectDue(committedKinds));
      // The response that waits to be written is sent first.
      if (core.mayStart()) setImmediate(core.startQueued);
      else void releaseQueued(core);
    },
    failed: (works) => local.removeIds(works.map(({ id }) => id)),
    waits: () => waitsInMemory(local.all()),
  };
}
