// Statements use the names of entities and properties. PostgreSQL receives the same statements as with the names of tables and
// columns.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { newId } from '../../src/domain/ids.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { byProperty } from '../../src/platform/database/prepared.ts';
import type { Entities } from '../../src/tables/entities.ts';
import { type Db, dbOn, dbOver } from '../../src/tables/orm.ts';
import { everyProperty } from '../../src/tables/prepared.ts';
import { byTable } from '../support/by-table.ts';
import { useOrm } from '../support/use-database.ts';

const database = useOrm();

const now = new Date('2026-11-22T10:00:00.000Z');
const newUser = (id: string) => ({
  id,
  authProvider: 'identity_provider_a' as const,
  authSubject: id,
  displayName: 'Ada',
  createdAt: now,
});

test('a statement in the names of entities is sent in the names of the database', () => {
  const ofEntities = database.db
    .selectFrom('PixPayment as payment')
    .innerJoin('PixQuote', 'PixQuote.id', 'payment.quoteId')
    .select(['payment.sourceAmountMinor', 'PixQuote.providerLifeMs as lifeMs'])
    .where('payment.userId', '=', 'u')
    .where((is) => is.or([is('payment.endToEndId', 'is', null), is('payment.state', 'in', ['paying'])]))
    .forNoKeyUpdate();
  const ofTables = byTable(database.db)
    .selectFrom('pix_payments as payment')
    .innerJoin('pix_quotes', 'pix_quotes.id', 'payment.quote_id')
    .select(['payment.source_amount_minor', 'pix_quotes.provider_life_ms as lifeMs'])
    .where('payment.user_id', '=', 'u')
    .where((is) => is.or([is('payment.end_to_end_id', 'is', null), is('payment.state', 'in', ['paying'])]))
    .forNoKeyUpdate();
  expect(ofEntities.compile().sql).toBe(ofTables.compile().sql);
});

test('statements write and read properties', async () => {
  const id = newId();
  const inserted = await database.db
    .insertInto('User')
    .values(newUser(id))
    .returningAll()
    .executeTakeFirstOrThrow();
  expect(inserted).toMatchObject({ ...newUser(id), homeCurrency: null, balanceVersion: 0 });
  await database.db
    .updateTable('User')
    .set({ balanceVersion: sql<number>`balance_version + 1`, homeCurrency: 'GBP' })
    .where('id', '=', id)
    .execute();
  const read = await database.db.selectFrom('User').selectAll().where('id', '=', id).execute();
  expect(read).toEqual([{ ...inserted, balanceVersion: 1, homeCurrency: 'GBP' }]);
});

test('an insert writes nothing if a row already has its key', async () => {
  const [authSubject, userId] = [newId(), newId()];
  const insert = () =>
    database.db
      .insertInto('IdentityUser')
      .values({ authProvider: 'identity_provider_a', authSubject, userId })
      .onConflict((conflict) => conflict.columns(['authProvider', 'authSubject']).doNothing())
      .executeTakeFirst();
  expect((await insert()).numInsertedOrUpdatedRows).toBe(1n);
  expect((await insert()).numInsertedOrUpdatedRows).toBe(0n);
});

test('statements belong to the transaction that they are given', async () => {
  const id = newId();
  const broken = database.db.transaction().execute(async (tx) => {
    await tx.insertInto('User').values(newUser(id)).execute();
    expect(
      await byTable(tx).selectFrom('users').select('display_name').where('id', '=', id).execute(),
    ).toEqual([{ display_name: 'Ada' }]);
    throw new Error('taken back');
  });
  await expect(broken).rejects.toThrow('taken back');
  expect(await byTable(database.db).selectFrom('users').select('id').where('id', '=', id).execute()).toEqual(
    [],
  );
});

const nobody = (anyDb: Db) => anyDb.selectFrom('User').select('homeCurrency').where('authSubject', '=', 'x');

test('statements are the same on another pool and on one of its connections', async () => {
  const pool = createPool(database.url, 1);
  const other = dbOver(database.orm, pool);
  expect(nobody(other).compile().sql).toBe(nobody(database.db).compile().sql);
  expect(await nobody(other).execute()).toEqual([]);
  const client = await pool.connect();
  expect(await nobody(dbOn(database.orm, client)).execute()).toEqual([]);
  client.release();
  await other.destroy();
});

/**
 * Each entity's properties with the columns that MikroORM gives them. A reference has its own column first, and then the column of
 * the user.
 */
const mapped = () =>
  [...database.orm.getMetadata()].map(({ className, props }) => ({
    name: className as keyof Entities,
    columns: props.flatMap(({ name, fieldNames: [column] }) =>
      column === undefined ? [] : [{ name, column }],
    ),
  }));

test('a prepared statement gives every column of every entity the name of its property', () => {
  const columns = mapped().flatMap((entity) => entity.columns);
  expect(columns.length).toBeGreaterThan(200);
  for (const { name, column } of columns) expect(byProperty({ [column]: 1 })).toEqual({ [name]: 1 });
});

test('a new row has every property, in the order of the columns', () => {
  for (const { name, columns } of mapped()) {
    const row = Object.fromEntries(columns.map((one) => [one.name, 1]));
    expect(Object.keys(everyProperty(name, row as never))).toEqual(columns.map((one) => one.name));
  }
});
