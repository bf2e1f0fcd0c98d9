// The personal-data map: for every table, which of its rows belong to a person. Deletion and export both use it, and a
// new table does not compile until it is listed here.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { ofEach } from '../platform/database/prepared.ts';
import type { Tables } from './entities.ts';
import { prepared } from './prepared.ts';
import { slotOf } from './webhook-payloads/statements.ts';

/** The ids of a person's rows in tables without an index on the person. */
export type PersonsIds = {
  userId: string;
  payments: string[];
  transactions: string[];
  /**
   * Everything with a history or with effects: payments, withdrawals, contestations, partial returns, accounts, the verification, bank
   * details.
   */
  subjects: string[];
  /** Callbacks that changed something of theirs, or tried to. */
  callbacks: string[];
};

type RowCondition = (ids: PersonsIds) => RawBuilder<SqlBool>;
/** `order` is the column that sorts the rows of an export: their time, or their id if they have no time. */
type OfPersons<Table extends keyof Tables> = { rows: RowCondition; order: keyof Tables[Table] & string };
type TableMapping<Table extends keyof Tables> =
  | OfPersons<Table>
  | (OfPersons<Table> & { keptBecause: string })
  | { nobodysBecause: string };

const ofUser: RowCondition = ({ userId }) => sql`user_id = ${userId}`;
const about: RowCondition = ({ userId, subjects }) =>
  sql`subject_id = any(${subjects}::uuid[]) and user_id = ${userId}`;

const aboutCallbacks: RowCondition = ({ transactions, callbacks }) =>
  sql`(transaction_id = any(${transactions}::uuid[]) or id = any(${callbacks}::uuid[]))`;

/**
 * The tables are in the order of deletion, which follows the order of row locks. The rows that a lifecycle locks before it changes
 * anything come first, so that nothing is added to the rest meanwhile. Rows that refer to another row come before it.
 */
export const personalDataMap = {
  pix_payments: { rows: ofUser, order: 'created_at' },
  withdraws: { rows: ofUser, order: 'created_at' },
  contestations: { rows: ofUser, order: 'created_at' },
  payout_refunds: { rows: ofUser, order: 'credited_at' },
  provider_accounts: { rows: ofUser, order: 'created_at' },
  kyc_verifications: { rows: ofUser, order: 'created_at' },
  bank_details: { rows: ofUser, order: 'created_at' },
  transitions: {
    rows: (ids) =>
      sql`subject_kind in ('kyc', 'provider_account', 'pix_payment', 'withdraw', 'contestation', 'payout_refund')
        and ${about(ids)}`,
    order: 'occurred_at',
  },
  provider_resources: { rows: about, order: 'created_at' },
  effects: { rows: about, order: 'created_at' },
  provider_object_users: { rows: ofUser, order: 'provider_ref' },
  conversion_quotes: {
    rows: ({ userId, payments }) => sql`payment_id = any(${payments}::uuid[]) and user_id = ${userId}`,
    order: 'created_at',
  },
  discrepancies: { rows: about, order: 'occurred_at' },
  webhook_payloads: {
    rows: (ids) => sql`(received_at, event_id, slot) in (
      select received_at, id, ${slotOf(sql`received_at`)} from webhook_events where ${aboutCallbacks(ids)}
    )`,
    order: 'received_at',
  },
  webhook_events: { rows: aboutCallbacks, order: 'received_at' },
  pix_quotes: { rows: ofUser, order: 'created_at' },
  pix_lookups: { rows: ofUser, order: 'created_at' },
  pix_codes: { rows: ofUser, order: 'created_at' },
  pix_recipients: { rows: ofUser, order: 'last_paid_at' },
  name_checks: { rows: ofUser, order: 'created_at' },
  name_budgets: { rows: ofUser, order: 'user_id' },
  transactions: { rows: ofUser, order: 'created_at' },
  idempotency_keys: { rows: ofUser, order: 'created_at' },
  data_requests: { rows: ofUser, order: 'received_at' },
  identity_users: { rows: ofUser, order: 'user_id' },
  users: { rows: ({ userId }) => sql`id = ${userId}`, order: 'created_at' },
  data_keys: { rows: ({ userId }) => sql`scope = ${userId}`, order: 'created_at' },
  audit_events: {
    rows: ofUser,
    order: 'occurred_at',
    keptBecause:
      'The audit record is append-only. It has codes and internal ids. After an erasure, no other record links the id to a person.',
  },
  database_histories: { nobodysBecause: 'When the database was restored or promoted.' },
  effect_pauses: { nobodysBecause: 'Effect types that operators have paused.' },
  job_runs: { nobodysBecause: 'The progress of nightly jobs: positions and counts.' },
  list_findings: {
    nobodysBecause:
      'The provider’s ids of listed objects. After an erasure, no record links them to a person.',
  },
  open_circuits: { nobodysBecause: 'Processes whose calls to the provider fail.' },
  operator_roles: { nobodysBecause: 'The database roles that operators and support log in as members of.' },
  processes: { nobodysBecause: 'Running processes and their heartbeats.' },
  provider_cursors: { nobodysBecause: 'The positions reached in the provider’s lists.' },
  webhook_secrets: { nobodysBecause: 'Hashes of the service’s webhook secrets.' },
} satisfies { [Table in keyof Tables]: TableMapping<Table> };

type TableWith<Place> = {
  [Table in keyof typeof personalDataMap]: (typeof personalDataMap)[Table] extends Place ? Table : never;
}[keyof typeof personalDataMap];

export type PersonalTable = TableWith<{ rows: RowCondition }>;
type ErasedTable = Exclude<PersonalTable, TableWith<{ keptBecause: string }>>;

const personalTables = Object.entries(personalDataMap).flatMap(([table, place]) =>
  'rows' in place ? [table as PersonalTable] : [],
);

/** In the order of deletion. */
export const erasedTables = personalTables.filter(
  (table): table is ErasedTable => !('keptBecause' in personalDataMap[table]),
);

/** Lists a person's rows of a table. */
export const listPersonsRows = ofEach(personalTables, (table) =>
  prepared.all((_db, ids: PersonsIds) => {
    const { rows, order } = personalDataMap[table];
    return sql<
      Record<string, unknown>
    >`select * from ${sql.table(table)} where ${rows(ids)} order by ${sql.ref(order)}`;
  }),
);

export const deletePersonsRows = ofEach(erasedTables, (table) =>
  prepared.count(
    (_db, ids: PersonsIds) => sql`delete from ${sql.table(table)} where ${personalDataMap[table].rows(ids)}`,
  ),
);

export const findPersonsIds = prepared.first(
  (_db, { userId }: { userId: string }) => sql<Pick<PersonsIds, 'payments' | 'transactions' | 'subjects'>>`
    select
      array(select id from pix_payments where user_id = ${userId}) as payments,
      array(select id from transactions where user_id = ${userId}) as transactions,
      array(
        select id from kyc_verifications where user_id = ${userId}
        union all select id from provider_accounts where user_id = ${userId}
        union all select id from bank_details where user_id = ${userId}
        union all select id from pix_payments where user_id = ${userId}
        union all select id from withdraws where user_id = ${userId}
        union all select id from contestations where user_id = ${userId}
        union all select id from payout_refunds where user_id = ${userId}
      ) as subjects`,
);

/** Lists the callbacks that caused something. Causes are ids of several kinds; a callback's is a uuid. */
export const listPersonsCallbacks = prepared.all(
  (_db, ids: Pick<PersonsIds, 'userId' | 'subjects'>) => sql<{ id: string }>`
    select cause_id as id from transitions
      where subject_kind in ('kyc', 'provider_account', 'pix_payment', 'withdraw', 'contestation', 'payout_refund')
        and subject_id = any(${ids.subjects}::uuid[]) and user_id = ${ids.userId}
        and cause_kind = 'webhook' and cause_id ~ '^[0-9a-f-]{36}$'
    union select cause_id from discrepancies
      where subject_id = any(${ids.subjects}::uuid[]) and user_id = ${ids.userId}
        and cause_kind = 'webhook' and cause_id ~ '^[0-9a-f-]{36}$'`,
);
