// The audit record is verified every night. A break raises an alert.
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { headText, PAGE, verifyChain } from '../../src/audit/chain.ts';
import { insertEntries } from '../../src/audit/entry.ts';
import { newId } from '../../src/domain/ids.ts';
import { insertRun } from '../../src/jobs/run.ts';
import { countBacklog } from '../../src/metrics/backlog.ts';
import { opsHere } from '../ops/support.ts';
import { byTable } from '../support/by-table.ts';
import { capturedAt } from '../support/leak-watch.ts';
import { valueOf } from '../support/metrics.ts';
import { runDueNight } from '../support/run-due-night.ts';
import { useWorld } from '../support/use-world.ts';

let nights = 0;

// The test runs the nightly jobs itself.
const { world, db } = useWorld({ env: { ROLE: 'api' } });
beforeEach(async () => {
  await tamper('delete from audit_events');
  await byTable(db()).deleteFrom('job_runs').execute();
});

test('a whole record is verified page by page, and its head is kept for the next night', async () => {
  await write(PAGE + 10);
  const { counts, position } = await night();
  expect(counts).toEqual({ 'rows verified': PAGE + 10 });
  expect(position).toMatchObject({ checkpoint: headText((await verifyChain(db())).head) });
  expect(await breaks()).toBe(0);
  expect((await opsHere(world.service.app, ['status'])).out).not.toMatch(/breaks in the audit record/);
});

test('the head of the record is logged every night, which shows what the record alone cannot: that it was cut off', async () => {
  await write(5);
  await night();
  const [head = ''] = headsLogged().slice(-1);
  expect(head).toBe(headText((await verifyChain(db())).head));
  const { app } = world.service;
  expect(await opsHere(app, ['audit', 'verify', '--head', head])).toMatchObject({ code: 0 });
  await write(1);
  expect(await opsHere(app, ['audit', 'verify', '--head', head])).toMatchObject({ code: 0 });
  await tamper('delete from audit_events where seq > 3');
  // The owner of the database also removes the head of the last night.
  await byTable(db()).deleteFrom('job_runs').execute();
  expect((await night()).counts).toEqual({ 'rows verified': 3 });
  expect(await opsHere(app, ['audit', 'verify', '--head', head])).toMatchObject({
    code: 1,
    err: expect.stringContaining('row 4 is missing'),
  });
});

test('each break is counted, logged as an error, shown by the metrics and the status, and makes a manual verification exit with 1', async () => {
  await write(9);
  await tamper(`update audit_events set action = 'x' where seq = 3`);
  await tamper('delete from audit_events where seq = 6');
  const { counts } = await night();
  expect(counts).toEqual({ 'rows verified': 8, breaks: 2 });
  const lines = capturedAt('the log').split('\n');
  expect(lines.map((line) => JSON.parse(line || '{}') as object)).toContainEqual(
    expect.objectContaining({
      level: 'error',
      code: 'audit.chain_broken',
      breaks: 2,
      first: 'row 3 is not as it was written',
    }),
  );
  expect(await breaks()).toBe(2);
  const { app } = world.service;
  expect((await opsHere(app, ['status'])).out).toMatch(/2 +breaks in the audit record +audit verify/);
  expect(await opsHere(app, ['audit', 'verify'])).toMatchObject({
    code: 1,
    err: expect.stringMatching(/row 3 is not as it was written/),
  });
});

test.each([
  ['cut off at its end', () => tamper('delete from audit_events where seq > 3')],
  ['written again', () => tamper('delete from audit_events').then(() => write(5))],
])('a record that was %s is reported as broken, and still the night after', async (_how, harm) => {
  await write(5);
  expect((await night()).counts).toEqual({ 'rows verified': 5 });
  await harm();
  expect((await night()).counts).toMatchObject({ breaks: 1 });
  await write(5);
  expect((await night()).counts).toMatchObject({ breaks: 1 });
  expect(await breaks()).toBe(1);
});

const headsLogged = (): string[] =>
  capturedAt('the log')
    .split('\n')
    .filter((line) => line.includes('"code":"audit.head"'))
    .map((line) => (JSON.parse(line) as { head: string }).head);

async function night() {
  nights += 1;
  const run = `night-${nights}`;
  // The run is due a moment ago, because a time is kept to the millisecond and may be rounded up.
  await insertRun(db(), 'audit-verify', run, -1_000);
  await runDueNight(world.service.app, 'audit-verify', newId());
  return byTable(db())
    .selectFrom('job_runs')
    .selectAll()
    .where('run', '=', run)
    .where('finished_at', 'is not', null)
    .executeTakeFirstOrThrow();
}

const write = (count: number) =>
  insertEntries(
    db(),
    Array.from({ length: count }, () => ({
      at: new Date(),
      action: 'something.done',
      userId: null,
      requestId: null,
      details: {},
    })),
  );

const tamper = (statement: string) =>
  db()
    .transaction()
    .execute(async (tx) => {
      await sql`alter table audit_events disable trigger user`.execute(tx);
      await sql.raw(statement).execute(tx);
      await sql`alter table audit_events enable trigger user`.execute(tx);
    });

async function breaks(): Promise<number | undefined> {
  return valueOf(await countBacklog(db(), new Date()), 'ponte_audit_chain_breaks');
}
