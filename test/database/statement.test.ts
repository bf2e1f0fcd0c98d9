// Statements that are built once, and sent again with other values.
import { sql, type Updateable } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createOrm, type Db, type Orm } from '../../src/database/orm.ts';
import { createPool } from '../../src/database/pool.ts';
import { columnStatement, statement, statements } from '../../src/database/statement.ts';
import type { Entities } from '../../src/entities/index.ts';
import type { Entity } from '../../src/entities/rows.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let orm: Orm;
let db: Db;

const pausedAt = new Date('2026-11-23T05:00:00.123Z');
const pause = (type: string, reason: string): Entity<'EffectPause'> => ({
  type,
  reason,
  operator: 'Ana',
  pausedAt,
});

const insertPauses = statement((kysely, { rows }: { rows: Entity<'EffectPause'>[] }) =>
  kysely.insertInto('EffectPause').values(rows),
);

beforeAll(async () => {
  database = await createTestDatabase();
  orm = await createOrm(createPool(database.url, 2));
  db = orm.em.getKysely();
  await insertPauses(db, { rows: [pause('startPayout', 'one'), pause('startConversion', 'two')] });
});
afterAll(async () => {
  await orm.close(true);
  await database.drop();
});

it('is built once, and finds by each use’s own values, under the names of properties', async () => {
  let built = 0;
  const find = statement((kysely, { type }: { type: string }) => {
    built += 1;
    return kysely.selectFrom('EffectPause').selectAll().where('type', '=', type);
  });
  expect((await find(db, { type: 'startPayout' })).rows).toEqual([pause('startPayout', 'one')]);
  expect((await find(db, { type: 'startConversion' })).rows).toEqual([pause('startConversion', 'two')]);
  expect((await find(db, { type: 'neither' })).rows).toEqual([]);
  expect(built).toBe(1);
});

it('is built for each set of properties: it writes those that are there, and no other', async () => {
  let built = 0;
  const update = statement(
    (kysely, { type, changed }: { type: string; changed: Updateable<Entities['EffectPause']> }) => {
      built += 1;
      return kysely.updateTable('EffectPause').set(changed).where('type', '=', type);
    },
  );
  const type = 'startPayout';
  expect((await update(db, { type, changed: { reason: 'three' } })).numUpdatedRows).toBe(1n);
  await update(db, { type, changed: { reason: 'four', operator: undefined } });
  expect(built).toBe(1);
  await update(db, { type, changed: { operator: 'Bo' } });
  await update(db, { type, changed: { reason: 'five', operator: 'Cy' } });
  expect(built).toBe(3);
  expect((await update(db, { type: 'neither', changed: { reason: 'six' } })).numUpdatedRows).toBe(0n);
  const { rows } = await sql`select reason, operator from effect_pauses where type = ${type}`.execute(db);
  expect(rows).toEqual([{ reason: 'five', operator: 'Cy' }]);
});

it('inserts as many rows as it is given', async () => {
  await insertPauses(db, { rows: [pause('a', '1')] });
  await insertPauses(db, { rows: [pause('b', '2'), pause('c', '3'), pause('d', '4')] });
  const { rows } =
    await sql`select type || reason as row from effect_pauses where length(type) = 1 order by 1`.execute(db);
  expect(rows).toEqual([{ row: 'a1' }, { row: 'b2' }, { row: 'c3' }, { row: 'd4' }]);
});

it('passes on what is no parameter, and values within SQL', async () => {
  const find = columnStatement((kysely, { least }: { least: Date }) =>
    kysely
      .selectFrom('effect_pauses')
      .select(['type', sql<string>`reason || ${'!'} || ${sql.lit('?')}`.as('said')])
      .where('operator', 'in', ['Ana', 'Zoe'])
      .where(sql<boolean>`paused_at >= ${least}::timestamptz`)
      .where('type', 'like', 'startC%'),
  );
  expect((await find(db, { least: pausedAt })).rows).toEqual([{ type: 'startConversion', said: 'two!?' }]);
  expect((await find(db, { least: new Date(pausedAt.getTime() + 1) })).rows).toEqual([]);
});

it('refuses an expression as a value: it belongs into the statement', async () => {
  const update = statement((kysely, { changed }: { changed: object }) =>
    kysely.updateTable('EffectPause').set(changed),
  );
  await expect(update(db, { changed: { reason: sql<string>`'six'` } })).rejects.toThrow('changed.reason');
});

it('is one for each name', () => {
  const of = statements((name: string) => ({ name }));
  expect(of('a')).toBe(of('a'));
  expect(of('a')).not.toBe(of('b'));
});
