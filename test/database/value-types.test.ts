// A column that takes one of a list of values has its own type with exactly those values. MikroORM compares the entities with the
// migrations but ignores a value that only the database has.
import { expect, test } from 'vitest';
import { useOrm } from '../support/use-database.ts';

const database = useOrm();

test('each enum column has the values that its entity declares', async () => {
  const declared = [...database.orm.getMetadata()].flatMap(({ tableName, props }) =>
    props
      .filter(({ nativeEnumName }) => nativeEnumName !== undefined)
      .map(({ fieldNames, items, nativeEnumName }) => ({
        column: `${tableName}.${fieldNames.join()}`,
        type: nativeEnumName,
        values: items,
      })),
  );
  const { rows } = await database.pool.query(`
    select attrelid::regclass || '.' || attname as column, typname as type,
      json_agg(enumlabel order by enumsortorder) as values
    from pg_attribute join pg_class on pg_class.oid = attrelid and relkind = 'r'
      join pg_type on pg_type.oid = atttypid join pg_enum on enumtypid = atttypid
    where not attisdropped and relnamespace = 'public'::regnamespace
    group by attrelid, attname, typname
  `);
  expect(declared.length).toBeGreaterThan(30);
  expect(new Set(rows)).toEqual(new Set(declared));
});

test('no check constraint lists values, because PostgreSQL plans each check again for each statement', async () => {
  const { rows } = await database.pool.query(`
    select conrelid::regclass::text as table, pg_get_constraintdef(oid) as check from pg_constraint
    where contype = 'c' and connamespace = 'public'::regnamespace and pg_get_constraintdef(oid) ~ 'ARRAY'
  `);
  expect(rows).toEqual([]);
});

test.each([
  [`insert into provider_cursors (list, updated_at) values ('owners', now())`, 'provider_list'],
  [`update webhook_events set status = 'lost'`, 'webhook_event_status'],
  [`update pix_payments set state = 'settling'`, 'pix_payment_state'],
])('%s is refused', async (statement, type) => {
  await expect(database.pool.query(statement)).rejects.toThrow(`invalid input value for enum ${type}`);
});
