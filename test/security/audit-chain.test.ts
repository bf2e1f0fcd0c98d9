// The audit record is one chain for any number of writers. Every change of it is detected.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { BEGINNING, verifyChain } from '../../src/audit/chain.ts';
import { type AuditEntry, insertEntries } from '../../src/audit/entry.ts';
import { newId } from '../../src/domain/ids.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { createOrm, type Db, dbOf, type Orm } from '../../src/tables/orm.ts';
import { byTable } from '../support/by-table.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const entry = (more: Partial<AuditEntry> = {}): AuditEntry => ({
  at: new Date(),
  action: 'something.done',
  userId: null,
  requestId: null,
  details: {},
  ...more,
});

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

/** Runs a statement as an owner of the tables who wishes to leave no trace. */
const tamper = (db: Db, statement: string) =>
  db.transaction().execute(async (tx) => {
    await sql`alter table audit_events disable trigger user`.execute(tx);
    await sql.raw(statement).execute(tx);
    await sql`alter table audit_events enable trigger user`.execute(tx);
  });

describe('the chain', () => {
  let database: TestDatabase;
  let orms: Orm[];
  let db: Db;

  beforeAll(async () => {
    database = await createTestDatabase();
    orms = await Promise.all(Array.from({ length: 3 }, () => createOrm(createPool(database.url, 4))));
    db = dbOf(orms[0] as Orm);
  });
  afterAll(async () => {
    for (const orm of orms) await orm.close(true);
    await database.drop();
  });
  beforeEach(() => tamper(db, 'delete from audit_events'));

  test('an empty chain is whole', async () => {
    expect(await verifyChain(db)).toEqual({
      rows: 0,
      head: { seq: 0, hash: BEGINNING },
      broken: null,
      misdated: 0,
      rolledBack: [],
    });
  });

  test('the record is one chain when several processes write concurrently, also within transactions that are rolled back', async () => {
    const writers = orms.flatMap((orm) => [orm, orm]).map(dbOf);
    await Promise.all(
      writers.map(async (writer, at) => {
        for (let turn = 0; turn < 20; turn += 1) {
          await insertEntries(writer, [entry({ details: { at, turn } }), entry({ userId: newId() })]);
          await writer
            .transaction()
            .execute(async (tx) => {
              await insertEntries(tx, [entry()]);
              throw new Error('undone');
            })
            .catch(() => undefined);
        }
      }),
    );
    const { rows, head, broken } = await verifyChain(db);
    expect([rows, head.seq, broken]).toEqual([240, 240, null]);
  });

  test('the chain accepts any text', async () => {
    const texts = ['', 'ä€😀', '-', '3:abc', 'line\nline', '"quoted" \\ {}', '\u007f'];
    await insertEntries(
      db,
      texts.map((text) =>
        entry({ requestId: text, details: { [text]: [text, 1.5, null, { b: 1, aa: 2 }] } }),
      ),
    );
    expect(await verifyChain(db)).toMatchObject({ rows: texts.length, broken: null });
  });

  test('rows are numbered and hashed by the database, whatever values a writer gives', async () => {
    await insertEntries(db, [entry()]);
    const { details, ...columns } = {
      id: newId(),
      occurred_at: new Date(),
      action: 'forged.thing',
      details: {},
    };
    const claimed = { ...columns, details, seq: 77, hash: 'f'.repeat(64), previous_hash: 'e'.repeat(64) };
    await byTable(db).insertInto('audit_events').values(claimed).execute();
    expect(await verifyChain(db)).toMatchObject({ rows: 2, head: { seq: 2 }, broken: null });
  });

  test('rows that were dated more than five minutes from the clock of the database are counted', async () => {
    await insertEntries(db, [entry(), entry({ at: minutesAgo(4) }), entry({ at: minutesAgo(6) })]);
    await insertEntries(db, [entry({ at: minutesAgo(-6) })]);
    expect(await verifyChain(db)).toMatchObject({ rows: 4, broken: null, misdated: 2 });
  });

  test.each([
    `update audit_events set action = 'nothing.done'`,
    'delete from audit_events',
    'truncate audit_events',
  ])('the database refuses to change the record: %s', async (statement) => {
    await insertEntries(db, [entry()]);
    await expect(sql.raw(statement).execute(db)).rejects.toThrow('audit_events only ever grows');
  });

  const broken: [string, string, number, RegExp][] = [
    ['another action', `update audit_events set action = 'x' where seq = 3`, 3, /not as it was written/],
    [
      'another time',
      `update audit_events set occurred_at = occurred_at + interval '1 ms' where seq = 5`,
      5,
      /not as it was/,
    ],
    [
      'another time of recording',
      `update audit_events set recorded_at = recorded_at + interval '1 ms' where seq = 4`,
      4,
      /not as it was/,
    ],
    ['no time of recording', 'update audit_events set recorded_at = null where seq = 2', 2, /not as it was/],
    ['a user taken out', 'update audit_events set user_id = null where seq = 2', 2, /not as it was/],
    ['another detail', `update audit_events set details = '{"a": 2}' where seq = 1`, 1, /not as it was/],
    ['a row taken out', 'delete from audit_events where seq = 4', 5, /what was between is missing/],
    ['the first row taken out', 'delete from audit_events where seq = 1', 2, /follows row 0/],
    [
      'a row taken out, and the others moved up',
      'delete from audit_events where seq = 4; update audit_events set seq = seq - 1 where seq > 4',
      4,
      /does not follow/,
    ],
  ];
  test.each(broken)(
    'the verification shows the first broken row after a change: %s',
    async (_what, statement, seq, why) => {
      await insertEntries(
        db,
        Array.from({ length: 6 }, () => entry({ userId: newId(), details: { a: 1 } })),
      );
      for (const one of statement.split('; ')) await tamper(db, one);
      expect((await verifyChain(db)).broken).toEqual({ seq, why: expect.stringMatching(why) });
    },
  );

  test('the rows behind a break can be verified from any row on', async () => {
    await insertEntries(db, [entry(), entry(), entry(), entry()]);
    await tamper(db, `update audit_events set action = 'x' where seq = 2`);
    expect((await verifyChain(db)).broken).toMatchObject({ seq: 2 });
    expect(await verifyChain(db, { from: 3 })).toMatchObject({ rows: 2, head: { seq: 4 }, broken: null });
    await tamper(db, 'delete from audit_events where seq = 3');
    expect((await verifyChain(db, { from: 3 })).broken).toMatchObject({ seq: 4 });
  });

  test('a verification with a head that is kept elsewhere shows that the end was cut off or that all rows were rewritten', async () => {
    await insertEntries(db, [entry(), entry(), entry()]);
    const { head } = await verifyChain(db);
    await insertEntries(db, [entry()]);
    expect(await verifyChain(db, { notedHead: head })).toMatchObject({ rows: 4, broken: null });
    await tamper(db, 'delete from audit_events where seq > 2');
    expect((await verifyChain(db)).broken).toBe(null);
    expect((await verifyChain(db, { notedHead: head })).broken).toMatchObject({ seq: 3 });
    await insertEntries(db, [entry(), entry()]);
    expect((await verifyChain(db)).broken).toBe(null);
    expect((await verifyChain(db, { notedHead: head })).broken).toMatchObject({ seq: 3 });
  });
});
