// The unique keys that prevent money from being doubled. The code above them also checks first and locks. The database is the last
// safeguard if that code is wrong.
import { beforeAll, expect, test } from 'vitest';
import { createPool } from '../../src/platform/database/pool.ts';
import { useDatabase } from '../support/use-database.ts';

const database = useDatabase();
let keys: Set<string>;

beforeAll(async () => {
  const pool = createPool(database.url, 1);
  const { rows } = await pool.query<{ key: string }>(`
    select format('%s (%s)', conrelid::regclass, string_agg(attname, ', ' order by position)) as key
    from pg_constraint, unnest(conkey) with ordinality as part (number, position), pg_attribute
    where contype in ('u', 'p') and attrelid = conrelid and attnum = part.number
    group by pg_constraint.oid, conrelid
  `);
  keys = new Set(rows.map(({ key }) => key));
  await pool.end();
});

test.each([
  ['one payment for each quote', 'pix_payments (quote_id, user_id)'],
  ['one transaction for each payment', 'pix_payments (transaction_id, user_id)'],
  ['one transaction for each movement', 'transactions (provider, provider_ref, user_id)'],
  ['one event for each callback', 'webhook_events (provider, identity)'],
  ['one resource for each handle', 'provider_resources (handle, user_id)'],
  ['one resource for each thing at the provider', 'provider_resources (provider_ref, user_id)'],
  ['one account for each user and currency', 'provider_accounts (user_id, currency)'],
  ['one row for each account at the provider', 'provider_accounts (provider_account_id, user_id)'],
  [
    'one user for each identity, account, movement and claim of a charge',
    'provider_object_users (provider_ref, kind)',
  ],
  ['one user for each subject', 'identity_users (auth_provider, auth_subject)'],
  ['one use for each Idempotency-Key', 'idempotency_keys (user_id, operation, key)'],
  ['one transition for each step', 'transitions (subject_kind, subject_id, seq, user_id)'],
])('the database allows only %s', (_what, key) => {
  expect([...keys]).toContain(key);
});
