// The nightly run ends discrepancies that a later snapshot has overtaken. Discrepancies that only an operator may decide stay open.
import { expect, test } from 'vitest';
import { newId } from '../../../src/domain/ids.ts';
import { createCounters } from '../../../src/jobs/counters.ts';
import { resolveOvertakenDiscrepancies } from '../../../src/jobs/reconciliation/resolve-discrepancies.ts';
import { DatabaseTime } from '../../../src/platform/database/database-time.ts';
import { inDbTransaction } from '../../../src/platform/database/db-transaction.ts';
import { type NewDiscrepancy, recordDiscrepancy } from '../../../src/reports/discrepancies.ts';
import { discrepancyKinds } from '../../../src/tables/discrepancies/entity.ts';
import { byTable } from '../../support/by-table.ts';
import { signUp } from '../../support/person.ts';
import { useWorld } from '../../support/use-world.ts';

const { world } = useWorld({ env: { ROLE: 'api' } });

const ended = new Set<string>(['contradicted_state', 'not_as_ordered']);

test.each(discrepancyKinds.map((kind) => [kind, ended.has(kind)] as const))(
  'a later snapshot ends a discrepancy of the kind %s: %s',
  async (kind, isEnded) => {
    const { userId } = await signUp(world);
    const resource = { userId, subjectKind: 'withdraw', subjectId: newId(), handle: newId() } as const;
    await insertResource(resource, new Date());
    await record(resource, { kind, event: { type: 'off-ramp.completed' } });
    expect(await isResolvedByNight(resource)).toBe(isEnded);
  },
);

test.each([
  ['with its figures', true, 2_500],
  ['with other figures', false, 2_600],
])(
  'an event %s that the row has applied since ends a discrepancy: %s',
  async (_with, isEnded, amountMinor) => {
    const { userId } = await signUp(world);
    const resource = { userId, subjectKind: 'withdraw', subjectId: newId(), handle: newId() } as const;
    await insertResource(resource, reportedAt);
    await record(resource, {
      kind: 'contradicted_state',
      event: { type: 'off-ramp.completed', amountMinor: 2_500 },
    });
    await byTable(world.service.app.db)
      .insertInto('transitions')
      .values({
        user_id: userId,
        subject_kind: 'withdraw',
        subject_id: resource.subjectId,
        seq: 2,
        from_state: 'settling',
        to_state: 'completed',
        event: 'off-ramp.completed',
        event_data: { amountMinor, currency: 'GBP' },
        cause_kind: 'job',
        cause_id: 'a test',
        occurred_at: new Date(),
      })
      .execute();
    expect(await isResolvedByNight(resource)).toBe(isEnded);
  },
);

const reportedAt = new Date(Date.now() - 60_000);

type Resource = { userId: string; subjectKind: 'withdraw'; subjectId: string; handle: string };

/** @param appliedAt the time of the last snapshot that was applied. */
const insertResource = ({ userId, subjectId, handle }: Resource, appliedAt: Date) =>
  byTable(world.service.app.db)
    .insertInto('provider_resources')
    .values({
      handle,
      kind: 'payout',
      user_id: userId,
      subject_kind: 'withdraw',
      subject_id: subjectId,
      provider_ref: newId(),
      snapshot_updated_at: appliedAt,
      created_at: reportedAt,
    })
    .execute();

const record = (resource: Resource, of: Pick<NewDiscrepancy, 'kind' | 'event'>) =>
  inDbTransaction(world.service.app.db, (tx) =>
    recordDiscrepancy(
      tx,
      resource,
      { ...of, state: 'failed', providerRef: newId(), fingerprint: 'of a test', snapshotAt: reportedAt },
      { kind: 'job', id: 'a test' },
      reportedAt,
    ),
  );

async function isResolvedByNight({ handle }: Resource): Promise<boolean> {
  const { app } = world.service;
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
    .where('handle', '=', handle)
    .executeTakeFirstOrThrow();
  return endedAt !== null;
}
