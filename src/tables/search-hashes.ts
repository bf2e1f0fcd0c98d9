// The values that operators search for by their hash: the statements that find them, and those that hash former values.
import { sql } from 'kysely';
import { prepared } from './prepared.ts';

/** The number of rows of a page is a literal in the statement. */
export const HASHED_PAGE = 1_000;

type Place = { table: string; user: string; sealed: string; hash: string; version: string | null };

type Unhashed = {
  id: string;
  userId: string;
  /** The time at which a value that may be replaced was sealed. */
  version: Date | null;
  /** Null if the value has a hash under the key, or if there is no value. */
  sealed: Buffer | null;
};

/** Each hash belongs to the row at the same index, while that row has the same sealed value. */
type Hashed = { ids: string[]; userIds: string[]; sealed: Buffer[]; hashes: Buffer[] };

const ofPlace = ({ table, user, sealed, hash, version }: Place) => ({
  /** Lists a page of all rows, in the order of their ids. */
  list: prepared.all(
    (_db, { after, tag }: { after: string; tag: Buffer }) => sql<Unhashed>`
      select id, ${sql.ref(user)} as user_id, ${version === null ? sql`null` : sql.ref(version)} as version,
        case when substr(${sql.ref(hash)}, 1, 4) is distinct from ${tag} then ${sql.ref(sealed)} end as sealed
      from ${sql.table(table)} where id > ${after} order by id limit ${sql.lit(HASHED_PAGE)}`,
  ),
  /** A value that was cleared or replaced meanwhile gets no hash. */
  set: prepared.count(
    (_db, params: Hashed) => sql`
      update ${sql.table(table)} as changed set ${sql.ref(hash)} = fresh.hash
      from unnest(
        ${params.ids}::uuid[], ${params.userIds}::uuid[], ${params.sealed}::bytea[], ${params.hashes}::bytea[]
      ) as fresh (id, user_id, sealed, hash)
      where changed.id = fresh.id and changed.${sql.ref(user)} = fresh.user_id
        and changed.${sql.ref(sealed)} = fresh.sealed`,
  ),
});

/** The sealed columns with a hash, as `table.column`. */
export const hashedValues = {
  'users.email_sealed': ofPlace({
    table: 'users',
    user: 'id',
    sealed: 'email_sealed',
    hash: 'email_hash',
    version: null,
  }),
  'provider_accounts.deposit_instructions_sealed': ofPlace({
    table: 'provider_accounts',
    user: 'user_id',
    sealed: 'deposit_instructions_sealed',
    hash: 'deposit_hash',
    version: 'deposit_instructions_sealed_at',
  }),
  'pix_payments.pix_key_sealed': ofPlace({
    table: 'pix_payments',
    user: 'user_id',
    sealed: 'pix_key_sealed',
    hash: 'pix_key_hash',
    version: null,
  }),
};

export type HashedColumn = keyof typeof hashedValues;

/** What operators can search for by its hash. A hash of one kind never equals a hash of another kind. */
export type SearchTerm = 'email' | 'account' | 'pix-key';

export type Found = { kind: 'user' | 'payment' | 'deposit' | 'withdraw'; id: string };

/** Lists the users, or the payments, whose value has one of the hashes, the newest first. At most 20 hashes are looked at. */
export const listByHash = prepared.all(
  (_db, { what, hashes, limit }: { what: SearchTerm; hashes: Buffer[]; limit: number }) => sql<Found>`
    select kind, id from find_by_hash(${what}, ${hashes}::bytea[], ${limit})`,
);

/** Lists the transactions that cost or delivered an amount. `from` is included, `to` is not. */
export const listTransactionsByAmount = prepared.all(
  (
    _db,
    {
      amountMinor,
      currency,
      from,
      to,
      limit,
    }: {
      amountMinor: number;
      currency: string;
      from: Date;
      to: Date;
      limit: number;
    },
  ) => sql<Found>`
    (select type as kind, id, created_at from transactions
      where source_amount_minor = ${amountMinor} and source_currency = ${currency}
        and created_at >= ${from} and created_at < ${to} order by created_at desc limit ${limit})
    union all
    (select type, id, created_at from transactions
      where dest_amount_minor = ${amountMinor} and dest_currency = ${currency}
        and created_at >= ${from} and created_at < ${to} order by created_at desc limit ${limit})
    order by created_at desc limit ${limit}`,
);
