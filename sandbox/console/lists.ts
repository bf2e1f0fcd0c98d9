// Reads rows for the console's lists, newest first, one page at a time. The queries run only for a page that is open.

import type { SandboxContext } from '../context.ts';
import type { AccountRow, MovementRow, Resource, Rows } from '../store/rows.ts';

export interface ListQuery {
  /** Includes only rows older than this one. */
  before?: number;
  status?: string;
}

export interface List<Row> {
  rows: Row[];
  /** The `before` of the next page. Null on the last page. */
  next: number | null;
}

const ON_A_PAGE = 25;

/** Lists rows of a table. The table's name is one of four, and never comes from a request. */
export function listed<Table extends Resource>(
  { store }: SandboxContext,
  table: Table,
  { before = Number.MAX_SAFE_INTEGER, status }: ListQuery,
): List<Rows[Table]> {
  const found = store.all<Rows[Table]>(
    `select * from ${table} where seq < ? and (? is null or status = ?) order by seq desc limit ?`,
    before,
    status ?? null,
    status ?? null,
    ON_A_PAGE + 1,
  );
  const rows = found.slice(0, ON_A_PAGE);
  return { rows, next: found.length > ON_A_PAGE ? (rows.at(-1)?.seq ?? null) : null };
}

export const countOf = ({ store }: SandboxContext, table: Resource, status?: string): number =>
  store.get<{ n: number }>(
    `select count(*) as n from ${table} where ? is null or status = ?`,
    status ?? null,
    status ?? null,
  )?.n ?? 0;

export const accountsOf = ({ store }: SandboxContext, owner: string): AccountRow[] =>
  store.all<AccountRow>('select * from accounts where owner_uuid = ? order by seq', owner);

export const movementsOf = ({ store }: SandboxContext, account: string): MovementRow[] =>
  store.all<MovementRow>(
    'select * from movements where account_uuid = ? order by seq desc limit 25',
    account,
  );

export const paymentsOf = <Table extends 'transfers' | 'payouts'>(
  { store }: SandboxContext,
  table: Table,
  account: string,
): Rows[Table][] =>
  store.all<Rows[Table]>(
    `select * from ${table} where source_account_uuid = ? order by seq desc limit 10`,
    account,
  );
