// Two runs of one effect overlap, the second after a takeover, and neither knows of the other. The first run decides later, and its
// decision is not written.
import { beforeAll, expect, test } from 'vitest';
import { freePort } from '../../harness/processes/free-port.ts';
import { runEffect } from '../../src/effects/run.ts';
import { LeaseLost, releaseOrphanedLeases } from '../../src/outbox/leases.ts';
import type { Work } from '../../src/outbox/work.ts';
import { OutcomeUnknown, ProviderRefusal } from '../../src/provider/errors.ts';
import { effectHandlers } from '../../src/start/effect-handlers.ts';
import { byTable } from '../support/by-table.ts';
import { claimOnce } from '../support/claim-once.ts';
import { type Person, pay, quote, verified } from '../support/person.ts';
import { transfersOf } from '../support/upstream.ts';
import { useWorld } from '../support/use-world.ts';
import { startWatchedService } from '../support/watched-service.ts';
import { effectsOf, historyOf } from './payments.ts';

let ada: Person;

// Once the user is verified, only the test runs effects.
const { world, provider } = useWorld({ env: { ROLE: 'api' } });
beforeAll(async () => {
  const worker = await startWatchedService(
    { ...world.env, ROLE: 'worker', PORT: String(await freePort()) },
    world.clock,
  );
  ada = await verified(world, { deposit: '500.00' });
  await worker.stop();
});

/** Claims the payment's conversion for a process that is not registered. */
async function claimConversion(): Promise<Work> {
  const { db, clock } = world.service.app;
  const { works } = await claimOnce(db, 'effect', { limit: 10, now: clock.now() });
  const [work, ...more] = works;
  if (!work || more.length > 0) throw new Error('not one effect');
  return work;
}

type Ending = 'made, and answered late' | 'refused, late' | 'not answered';

/** Makes the first transfer request end as `ending` says. Its answer waits until the test calls `letGo`. */
function delayFirstTransfer(ending: Ending): { begun: Promise<void>; letGo: () => void } {
  const begun = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  let calls = 0;
  world.service.app.provider = {
    ...provider,
    createTransfer: async (transfer) => {
      calls += 1;
      if (calls > 1) return provider.createTransfer(transfer);
      const made = ending === 'refused, late' ? null : await provider.createTransfer(transfer);
      begun.resolve();
      await answered.promise;
      if (made === null) throw new ProviderRefusal('insufficient_funds', 'createTransfer');
      if (ending === 'not answered') throw new OutcomeUnknown('createTransfer', 'no answer', {});
      return made;
    },
  };
  return { begun: begun.promise, letGo: answered.resolve };
}

const run = ({ id, userId, token }: Work): Promise<void> =>
  runEffect({ ...world.service.app, effectHandlers }, { id, userId, token });

const endings: Ending[] = ['made, and answered late', 'refused, late', 'not answered'];

test.each(endings)(
  'when the call of a run that lost its lease is %s, the decision of the second run stays',
  async (ending) => {
    const { db } = world.service.app;
    const id = await pay(ada, await quote(ada, 10));
    const first = await claimConversion();
    const call = delayFirstTransfer(ending);
    const firstRun = run(first);
    await call.begun;

    await releaseOrphanedLeases(db);
    // Remove the mark that a request may have been sent, so that the lease alone must prevent the write.
    await byTable(db)
      .updateTable('effects')
      .set({ last_unknown_at: null })
      .where('id', '=', first.id)
      .execute();
    const second = await claimConversion();
    expect(second).toMatchObject({ id: first.id, token: first.token + 2 });
    await run(second);
    const decided = await effectsOf(world, id);
    expect(decided[0]).toMatchObject({ id: first.id, status: 'done', leased_by: null });
    const history = await historyOf(world, id);

    call.letGo();
    await expect(firstRun).rejects.toThrow(LeaseLost);
    expect(await effectsOf(world, id)).toEqual(decided);
    expect(await historyOf(world, id)).toEqual(history);
    expect(await transfersOf(world, id)).toHaveLength(1);
    await byTable(db).updateTable('effects').set({ due_at: null, status: 'done' }).execute();
  },
);

test('a run whose lease was lost before it began sends nothing', async () => {
  const { db } = world.service.app;
  await pay(ada, await quote(ada, 10));
  const first = await claimConversion();
  await releaseOrphanedLeases(db);
  let calls = 0;
  world.service.app.provider = {
    ...provider,
    createTransfer: async (transfer) => {
      calls += 1;
      return provider.createTransfer(transfer);
    },
  };
  await expect(run(first)).rejects.toThrow(LeaseLost);
  expect(calls).toBe(0);
});
