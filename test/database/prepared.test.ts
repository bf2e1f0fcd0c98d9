// Prepared statements are built once and sent again with other values.
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { pick } from '../../src/platform/database/prepared.ts';
import { equals, prepared } from '../../src/tables/prepared.ts';
import type { Entity } from '../../src/tables/rows.ts';
import { useOrm } from '../support/use-database.ts';

const database = useOrm();

type Pause = Entity<'EffectPause'>;

const pausedAt = new Date('2026-11-23T05:00:00.123Z');
const pause = (type: string): Pause => ({ type, reason: `because of ${type}`, operator: 'Ana', pausedAt });

const insertPause = prepared.count((builder, params: Pause) =>
  builder.insertInto('EffectPause').values(pick(params, 'type', 'reason', 'operator', 'pausedAt')),
);
const findPause = prepared.first((builder, { type }: { type: string }) =>
  builder.selectFrom('EffectPause').selectAll().where('type', '=', type),
);

beforeAll(async () => {
  await insertPause(database.db, pause('startPayout'));
  await insertPause(database.db, pause('startConversion'));
});

test('a statement uses the values of each run and returns properties', async () => {
  expect(await findPause(database.db, { type: 'startPayout' })).toEqual(pause('startPayout'));
  expect(await findPause(database.db, { type: 'startConversion' })).toEqual(pause('startConversion'));
  expect(await findPause(database.db, { type: 'neither' })).toBeUndefined();
});

test('a statement is built once', async () => {
  let built = 0;
  const find = prepared.all((builder, { type }: { type: string }) => {
    built += 1;
    return builder.selectFrom('EffectPause').select('type').where('type', '=', type);
  });
  await find(database.db, { type: 'startPayout' });
  expect(await find(database.db, { type: 'startConversion' })).toEqual([{ type: 'startConversion' }]);
  expect(built).toBe(1);
});

test('a statement in plain SQL returns properties, and one array is a list of any length', async () => {
  const list = prepared.all(
    (_builder, { types }: { types: string[] }) =>
      sql<Pick<Pause, 'type' | 'pausedAt'>>`
        select type, paused_at from effect_pauses where type = any(${types}::text[]) order by type`,
  );
  expect(await list(database.db, { types: [] })).toEqual([]);
  expect(await list(database.db, { types: ['startPayout', 'startConversion', 'neither'] })).toEqual([
    { type: 'startConversion', pausedAt },
    { type: 'startPayout', pausedAt },
  ]);
  expect(list.text(database.db)).toContain('type = any($1::text[])');
});

test('a write returns how many rows it wrote', async () => {
  const rename = prepared.count((builder, { type, operator }: { type: string; operator: string }) =>
    builder.updateTable('EffectPause').set({ operator }).where('type', '=', type),
  );
  expect(await rename(database.db, { type: 'startPayout', operator: 'Bo' })).toBe(1);
  expect(await rename(database.db, { type: 'neither', operator: 'Bo' })).toBe(0);
});

test('a parameter that is missing is refused, and null is a value', async () => {
  const find = prepared.first(
    (_builder, { type }: { type: string | null }) => sql`select ${type}::text as it`,
  );
  await expect(find(database.db, {} as never)).rejects.toThrow('the parameter type is missing');
  expect(await find(database.db, { type: null })).toEqual({ it: null });
});

test('a condition compares each column with its value, and null means that the column is null', () => {
  const find = prepared.all((builder, { type }: { type: string }) =>
    builder
      .selectFrom('EffectPause')
      .select('reason')
      .where(equals({ type, pausedAt: null })),
  );
  expect(find.text(database.db)).toBe(
    'select "reason" from "effect_pauses" where ("type" = $1 and "paused_at" is null)',
  );
  const unknown = prepared.all((builder, { type }: { type: string }) => {
    const pauses = builder.selectFrom('EffectPause').select('reason');
    // @ts-expect-error -- the table has no column of this name.
    return pauses.where(equals({ type, kind: type }));
  });
  expect(unknown.text(database.db)).toContain('"kind" = $2');
});

test('parameters cannot be listed while a statement is built', () => {
  const insert = prepared.count((builder, params: Pause) =>
    builder.insertInto('EffectPause').values({ ...params }),
  );
  expect(() => insert.text(database.db)).toThrow('a statement names its parameters one by one');
});
