// The sealed columns whose values may be replaced, in four tables. A value that was sealed before its row had a version is sealed
// again for the version.
import { sql } from 'kysely';
import { prepared } from './prepared.ts';

/** The number of rows of a page is a literal in the statement. */
export const RESEALED_PAGE = 1_000;

type Place = {
  table: string;
  column: string;
  id: string;
  /** The column that names the row in the encryption context. */
  row: string;
  /** The column with the row's version. A version that is a time becomes the time of the resealing; a count stays. */
  version: string;
  isTime: boolean;
};

type Unversioned = {
  id: string;
  userId: string;
  row: string;
  version: number | Date | null;
  /** Null if the value is bound to a version already. */
  sealed: Buffer | null;
};

/** @param params the value of each row at the same index; `now` is the new version of rows whose version is a time. */
type Replacement = { ids: string[]; userIds: string[]; former: Buffer[]; sealed: Buffer[]; now: Date };

const ofPlace = ({ table, column, id, row, version, isTime }: Place) => ({
  isTime,
  /** Lists a page of all rows, in the order of their ids. */
  list: prepared.all(
    (_db, { after, unversioned }: { after: string; unversioned: Buffer }) => sql<Unversioned>`
      select ${sql.ref(id)} as id, user_id, ${sql.ref(row)}::text as row, ${sql.ref(version)} as version,
        case when substr(${sql.ref(column)}, 1, 1) = ${unversioned} then ${sql.ref(column)} end as sealed
      from ${sql.table(table)} where ${sql.ref(id)} > ${after} order by ${sql.ref(id)} limit ${sql.lit(RESEALED_PAGE)}`,
  ),
  /** A value that was replaced meanwhile stays. */
  replace: prepared.count(
    (_db, params: Replacement) => sql`
      update ${sql.table(table)} as changed
      set ${sql.ref(column)} = fresh.sealed${isTime ? sql`, ${sql.ref(version)} = ${params.now}` : sql``}
      from unnest(
        ${params.ids}::uuid[], ${params.userIds}::uuid[], ${params.former}::bytea[], ${params.sealed}::bytea[]
      ) as fresh (id, user_id, former, sealed)
      where changed.${sql.ref(id)} = fresh.id and changed.user_id = fresh.user_id
        and changed.${sql.ref(column)} = fresh.former`,
  ),
});

export const unversionedValues = {
  'bank_details.details_sealed': ofPlace({
    table: 'bank_details',
    column: 'details_sealed',
    id: 'id',
    row: 'currency',
    version: 'version',
    isTime: false,
  }),
  'kyc_verifications.identity_sealed': ofPlace({
    table: 'kyc_verifications',
    column: 'identity_sealed',
    id: 'id',
    row: 'id',
    version: 'identity_sealed_at',
    isTime: true,
  }),
  'provider_accounts.deposit_instructions_sealed': ofPlace({
    table: 'provider_accounts',
    column: 'deposit_instructions_sealed',
    id: 'id',
    row: 'id',
    version: 'deposit_instructions_sealed_at',
    isTime: true,
  }),
  'provider_resources.reason_sealed': ofPlace({
    table: 'provider_resources',
    column: 'reason_sealed',
    id: 'handle',
    row: 'handle',
    version: 'reason_sealed_at',
    isTime: true,
  }),
};
