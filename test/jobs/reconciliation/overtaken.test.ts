// The nightly run ends discrepancies that a later snapshot has overtaken. Discrepancies that only an operator may decide stay open.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../../src/domain/ids.ts';
import { createCounters } from '../../../src/jobs/counters.ts';
import { resolveOvertakenDiscrepancies } from '../../../src/jobs/reconciliation/resolve-discrepancies.ts';
import { DatabaseTime } from '../../../src/platform/database/database-time.ts';
import { inDbTransaction } from '../../../src/platform/database/db-transaction.ts';
import { discrepancyKinds } from '../../../src/platform/database/entities/discrepancy.ts';
import { recordDiscrepancy } from '../../../src/reports/discrepancies.ts';
import { byTable } from '../../support/by-table.ts';
import { signUp } from '../../support/person.ts';
import { startWorld, type World } from '../../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ env: { ROLE: 'api' } });
});
afterAll(() => world.stop());

const ended = new Set<string>(['contradicted_state', 'not_as_ordered']);

test.each(discrepancyKinds.map((kind) => [kind, ended.has(kind)] as const))(
  'a later snapshot ends a discrepancy of the kind %s: %s',
  async (kind, isEnded) => {
    const { app } = world.service;
    const { userId } = await signUp(world);
    const resource = { userId, subjectKind: 'withdraw', subjectId: newId(), handle: newId() } as const;
    const at = new Date(Date.now() - 60_000);
    await byTable(app.db)
      .insertInto('provider_resources')
      .values({
        handle: resource.handle,
        kind: 'payout',
        user_id: userId,
        subject_kind: 'withdraw',
        subject_id: resource.subjectId,
        provider_ref: newId(),
        snapshot_updated_at: new Date(),
        created_at: at,
      })
      .execute();
    const discrepancy = {
      kind,
      event: { type: 'off-ramp.completed' },
      state: 'failed',
      providerRef: newId(),
      fingerprint: 'of a test',
      snapshotAt: at,
    };
    await inDbTransaction(app.db, (tx) =>
      recordDiscrepancy(tx, resource, discrepancy, { kind: 'job', id: 'a test' }, at),
    );
    await resolveOvertakenDiscrepancies({
      ...app,
      cause: { kind: 'job', id: 'a test' },
      counters: createCounters(),
      signal: undefined,
      run: 'test',
      now: await DatabaseTime.read(app.db),
      isNight: false,
    });
    const { resolved_at: endedAt } = await byTable(app.db)
      .selectFrom('discrepancies')
      .select('resolved_at')
      .where('handle', '=', resource.handle)
      .executeTakeFirstOrThrow();
    expect(endedAt !== null).toBe(isEnded);
  },
);
