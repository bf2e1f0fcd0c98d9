// Operators and metrics see the rows of the outbox by kind of work and state, and how long work has been due.

import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { newId } from '../../src/domain/ids.ts';
import { insertRun } from '../../src/jobs/run.ts';
import { countBacklog } from '../../src/metrics/backlog.ts';
import { DatabaseTime } from '../../src/platform/database/database-time.ts';
import { countOutbox } from '../../src/tables/backlog.ts';
import { byTable } from '../support/by-table.ts';
import { valueIn } from '../support/metrics.ts';
import { useOrm } from '../support/use-database.ts';

const HOUR_SECONDS = 3_600;

const database = useOrm();

beforeEach(async () => {
  for (const table of ['effects', 'webhook_events', 'provider_resources', 'job_runs'] as const)
    await byTable(database.db).deleteFrom(table).execute();
});

const nothing = { rows: 0, due: 0, later: 0, running: 0, oldestDueAt: null };

test('a kind of work without rows is also listed', async () => {
  const kinds = ['effect', 'callback', 'poll', 'nightly run'];
  expect(await countOutbox(database.db, { now: await DatabaseTime.read(database.db) })).toEqual(
    kinds.map((kind) => ({ kind, ...nothing })),
  );
});

test('a row counts as due, later or running, and a finished row is not counted', async () => {
  await addEffect({ dueInSeconds: -HOUR_SECONDS });
  await addEffect({ dueInSeconds: -60 });
  await addEffect({ dueInSeconds: HOUR_SECONDS });
  await addEffect({ dueInSeconds: -2 * HOUR_SECONDS, leasedBy: newId() });
  await addEffect({ dueInSeconds: null });
  await addCallback(-60);
  await addCallback(null);
  await addPoll(HOUR_SECONDS);
  await addPoll(null);
  await insertRun(database.db, 'reconcile', '2026-11-21', 60_000);
  await insertRun(database.db, 'reconcile', 'by hand', null);
  expect(await countOutbox(database.db, { now: await DatabaseTime.read(database.db) })).toEqual([
    { kind: 'effect', rows: 4, due: 2, later: 1, running: 1, oldestDueAt: expect.any(Date) as Date },
    { kind: 'callback', rows: 1, due: 1, later: 0, running: 0, oldestDueAt: expect.any(Date) as Date },
    { ...nothing, kind: 'poll', rows: 1, later: 1 },
    { ...nothing, kind: 'nightly run', rows: 1, later: 1 },
  ]);
});

test('the metrics show the same counts, and the age of the oldest due row, ignoring running ones', async () => {
  await addEffect({ dueInSeconds: -HOUR_SECONDS });
  await addEffect({ dueInSeconds: -2 * HOUR_SECONDS, leasedBy: newId() });
  await addEffect({ dueInSeconds: HOUR_SECONDS });
  const text = await (await countBacklog(database.db, new Date())).metrics();
  const rowsIn = (kind: string) =>
    ['due', 'later', 'running'].map((state) =>
      valueIn(text, `ponte_outbox_rows{kind="${kind}",state="${state}"}`),
    );
  expect([rowsIn('effect'), rowsIn('nightly run')]).toEqual([
    [1, 1, 1],
    [0, 0, 0],
  ]);
  const age = valueIn(text, 'ponte_oldest_due_age_seconds{kind="effect"}');
  expect(age).toBeGreaterThanOrEqual(HOUR_SECONDS - 1);
  expect(age).toBeLessThan(2 * HOUR_SECONDS);
  expect(valueIn(text, 'ponte_oldest_due_age_seconds{kind="callback"}')).toBe(0);
});

const dueIn = (seconds: number | null) =>
  seconds === null ? null : sql<Date>`now() + make_interval(secs => ${seconds})`;

async function addEffect({
  dueInSeconds,
  leasedBy = null,
}: {
  dueInSeconds: number | null;
  leasedBy?: string | null;
}): Promise<void> {
  await byTable(database.db)
    .insertInto('effects')
    .values({
      id: newId(),
      user_id: newId(),
      subject_kind: 'pix_payment',
      subject_id: newId(),
      seq: 1,
      type: 'startPayout',
      params: sql`'{}'::jsonb`,
      status: dueInSeconds === null ? 'done' : 'queued',
      due_at: dueIn(dueInSeconds),
      leased_by: leasedBy,
      created_at: new Date(),
    })
    .execute();
}

async function addCallback(dueInSeconds: number | null): Promise<void> {
  await byTable(database.db)
    .insertInto('webhook_events')
    .values({
      id: newId(),
      provider: 'sandbox',
      identity: randomBytes(32),
      event_type: 'payout.updated',
      payload_sealed: Buffer.alloc(1),
      status: dueInSeconds === null ? 'applied' : 'received',
      due_at: dueIn(dueInSeconds),
      received_at: new Date(),
    })
    .execute();
}

async function addPoll(dueInSeconds: number | null): Promise<void> {
  await byTable(database.db)
    .insertInto('provider_resources')
    .values({
      handle: newId(),
      kind: 'payout',
      leg: null,
      user_id: newId(),
      subject_kind: 'pix_payment',
      subject_id: newId(),
      next_poll_at: dueIn(dueInSeconds),
      created_at: new Date(),
    })
    .execute();
}
