// The common part of all resources: each is found by its uuid, repeated by its handle, listed in pages, and stamped when it changes.

import type { SandboxContext } from '../context.ts';
import type { Cause, NewRow } from '../seams.ts';
import { HANDLE, type Resource, type Rows } from '../store/rows.ts';
import { nextStamp } from '../time.ts';
import { type Call, ok, type Reply, type Schemas } from './operation.ts';
import { pageOf, positionOf, rowsInWindow } from './pages.ts';
import { refuse } from './refusal.ts';

const NAME: Record<Resource, string> = {
  owners: 'owner',
  accounts: 'account',
  transfers: 'transfer',
  payouts: 'payout',
};

/**
 * Returns the resource with this uuid.
 * @throws 404 if there is none.
 */
export function existing<Table extends Resource>(
  context: SandboxContext,
  table: Table,
  uuid: string,
): Rows[Table] {
  const row = context.store.get<Rows[Table]>(`select * from ${table} where uuid = ?`, uuid.toLowerCase());
  if (!row) throw refuse('not_found', `no such ${NAME[table]}`);
  return row;
}

/** Lists the resources under a handle. There is one, unless the provider made a twin of it. */
export const byHandle = <Table extends Resource>(
  context: SandboxContext,
  table: Table,
  handle: string,
): Rows[Table][] =>
  context.store.all<Rows[Table]>(`select * from ${table} where ${HANDLE[table]} = ? order by seq`, handle);

/**
 * Returns the resource that an earlier request with this handle created. The same content is the same request.
 * @throws a refusal if the handle was used with different content.
 */
export function repeated<Table extends Resource>(
  context: SandboxContext,
  table: Table,
  handle: string,
  content: string,
): Rows[Table] | undefined {
  const [first] = byHandle(context, table, handle);
  if (first && first.content !== content)
    throw refuse('origin_id_conflict', 'this handle was used with other content');
  return first;
}

/** The content of a creation as comparable text, without the callback address, which is rotated. */
export const contentOf = (body: object): string =>
  JSON.stringify(sorted({ ...body, callback_url: undefined }));

export const create = <Table extends keyof Rows>(
  context: SandboxContext,
  table: Table,
  row: NewRow<Table>,
  cause: Cause = {},
): Rows[Table] => context.store.insert(table, context.seams.rowCreated(table, row, cause));

/** Updates a resource, with the next `updated_at`. */
export function change<Table extends Resource>(
  context: SandboxContext,
  table: Table,
  before: Rows[Table],
  values: Partial<Rows[Table]>,
): Rows[Table] {
  const stamped = { ...values, updated_at: nextStamp(context.now(), before.updated_at) };
  return context.store.update(table, before.uuid, context.seams.rowChanged(table, before, stamped));
}

/** PATCH of a callback address. */
export function setCallbackUrl<Table extends Resource>(
  context: SandboxContext,
  table: Table,
  uuid: string,
  { callback_url }: Schemas['CallbackUpdate'],
): Rows[Table] {
  const row = existing(context, table, uuid);
  return row.callback_url === callback_url
    ? row
    : change(context, table, row, { callback_url } as Partial<Rows[Table]>);
}

/** Answers a look-up by handle, a window of changes, or a page of all conversions or payouts. */
export function listed<Table extends 'transfers' | 'payouts'>(
  context: SandboxContext,
  call: Call,
  table: Table,
  present: (context: SandboxContext, row: Rows[Table]) => object,
): Reply {
  const { origin_id, updated_from, updated_to, after, limit = 100 } = call.query;
  const show = (row: Rows[Table]) => present(context, row);
  if (origin_id !== undefined)
    return ok({ results: byHandle(context, table, origin_id).map(show), next: null });
  if (updated_from !== undefined || updated_to !== undefined)
    return ok(pageOf(rowsInWindow<Rows[Table]>(context, call, { table, time: 'updated_at' }), limit, show));
  const position = positionOf(context, `select seq from ${table} where uuid = ?`, after);
  const sql = `select * from ${table} where seq > ? order by seq limit ?`;
  return ok(pageOf(context.store.all<Rows[Table]>(sql, position, limit + 1), limit, show));
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, item]) => [name, sorted(item)]));
}
