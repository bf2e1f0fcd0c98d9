// The personal-data map: for every table, which of its rows belong to a person. Deletion and export both use it, and a
// new table does not compile until it is listed here.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Db } from '../database/orm.ts';
import type { Tables } from '../entities/index.ts';

/** The ids of a person's rows in tables without an index on the person. */
export type PersonsIds = {
  userId: string;
  payments: string[];
  transactions: string[];
  /** Everything with a history or with effects: payments, withdrawals, accounts, the verification ... */
  subjects: string[];
  /** Callbacks that changed something of theirs, or tried to. */
  callbacks: string[];
};

type Rows = (ids: PersonsIds) => RawBuilder<SqlBool>;
type TableMapping = { rows: Rows } | { rows: Rows; keptBecause: string } | { nobodysBecause: string };

const ownedBy =
  (column: string): Rows =>
  ({ userId }) =>
    sql<SqlBool>`${sql.ref(column)} = ${userId}`;

const about: Rows = ({ userId, subjects }) =>
  sql<SqlBool>`subject_id = any(${subjects}::uuid[]) and user_id = ${userId}`;

/**
 * In the order of deletion: first the rows that a lifecycle locks before it changes anything, so that nothing is added
 * to the rest meanwhile; and no row before the rows that refer to it.
 */
export const personalDataMap = {
  pix_payments: { rows: ownedBy('user_id') },
  withdraws: { rows: ownedBy('user_id') },
  provider_accounts: { rows: ownedBy('user_id') },
  kyc_verifications: { rows: ownedBy('id') },
  bank_details: { rows: ownedBy('user_id') },
  transitions: {
    rows: (ids) =>
      sql<SqlBool>`subject_kind in ('kyc', 'provider_account', 'pix_payment', 'withdraw') and ${about(ids)}`,
  },
  effects: { rows: about },
  provider_resources: { rows: about },
  provider_object_users: { rows: ownedBy('user_id') },
  conversion_quotes: {
    rows: ({ userId, payments }) =>
      sql<SqlBool>`payment_id = any(${payments}::uuid[]) and user_id = ${userId}`,
  },
  discrepancies: { rows: about },
  webhook_events: {
    rows: ({ transactions, callbacks }) =>
      sql<SqlBool>`(transaction_id = any(${transactions}::uuid[]) or id = any(${callbacks}::uuid[]))`,
  },
  pix_quotes: { rows: ownedBy('user_id') },
  transactions: { rows: ownedBy('user_id') },
  idempotency_keys: { rows: ownedBy('user_id') },
  data_requests: { rows: ownedBy('user_id') },
  identity_users: { rows: ownedBy('user_id') },
  users: { rows: ownedBy('id') },
  data_keys: { rows: ({ userId }) => sql<SqlBool>`scope = ${userId}` },
  audit_events: {
    rows: ownedBy('user_id'),
    keptBecause:
      'The record of who did what only ever grows. It holds ids and codes: the person’s internal id, which points to nobody once all else is gone.',
  },
  effect_pauses: { nobodysBecause: 'Kinds of work that operators hold back.' },
  job_runs: { nobodysBecause: 'How far nightly jobs have come: places and sums.' },
  list_findings: {
    nobodysBecause: 'The provider’s ids of objects in lists: they lead to nobody here once all else is gone.',
  },
  open_circuits: { nobodysBecause: 'Processes that cannot reach the provider.' },
  processes: { nobodysBecause: 'Processes that carry out work, and their heartbeats.' },
  provider_cursors: { nobodysBecause: 'How far the provider’s lists have been walked.' },
  webhook_secrets: { nobodysBecause: 'Hashes of our own secrets.' },
} satisfies Record<keyof Tables, TableMapping>;

export type PersonalTable = {
  [Table in keyof typeof personalDataMap]: (typeof personalDataMap)[Table] extends { rows: Rows }
    ? Table
    : never;
}[keyof typeof personalDataMap];

/** A condition for a query on the table alone. */
export const rowsOf = (table: PersonalTable, ids: PersonsIds): RawBuilder<SqlBool> =>
  personalDataMap[table].rows(ids);

export async function idsOf(db: Db, userId: string): Promise<PersonsIds> {
  const { rows } = await sql<Omit<PersonsIds, 'userId' | 'callbacks'>>`
    select
      array(select id from pix_payments where user_id = ${userId}) as payments,
      array(select id from transactions where user_id = ${userId}) as transactions,
      array(
        select id from kyc_verifications where id = ${userId}
        union all select id from provider_accounts where user_id = ${userId}
        union all select id from bank_details where user_id = ${userId}
        union all select id from pix_payments where user_id = ${userId}
        union all select id from withdraws where user_id = ${userId}
      ) as subjects
  `.execute(db);
  const [{ payments, transactions, subjects } = { payments: [], transactions: [], subjects: [] }] = rows;
  const ids = { userId, payments, transactions, subjects, callbacks: [] };
  return { ...ids, callbacks: await callbacksOf(db, ids) };
}

/** Causes are ids of several kinds; a callback's is a uuid. */
async function callbacksOf(db: Db, ids: PersonsIds): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select cause_id as id from transitions
      where ${rowsOf('transitions', ids)} and cause_kind = 'webhook' and cause_id ~ '^[0-9a-f-]{36}$'
    union select cause_id from discrepancies
      where ${rowsOf('discrepancies', ids)} and cause_kind = 'webhook' and cause_id ~ '^[0-9a-f-]{36}$'
  `.execute(db);
  return rows.map(({ id }) => id);
}
