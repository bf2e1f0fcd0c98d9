// Records the order in which the database transactions of every test lock rows. It reads the statements that pg sends, so a new
// flow is covered without being listed. When the test's database is dropped, a wrong order fails the file. The order is the one of
// docs/decisions/0002-read-committed-with-row-locks.md: user, subject, resource, effect. A user's row is also locked before every
// other row. The processes that a test starts (process.ts) load this file as well, and write to a file that the test reads.
import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';

/** `share` is the lock that a foreign key takes. It conflicts only with the lock of an erasure. */
export type RowLock = { table: string; mode: 'share' | 'write' };
type Locking = RowLock & { text: string; users: Set<string> };
/** A group has decisions about several users. Only then `begin` sets how long it waits for a lock. */
type OpenTransaction = { isGroup: boolean; locks: Locking[] };

const ranks = new Map([
  ['users', 0],
  ['pix_payments', 1],
  ['withdraws', 1],
  ['contestations', 1],
  ['payout_refunds', 1],
  ['kyc_verifications', 1],
  ['provider_accounts', 1],
  ['provider_resources', 2],
  ['effects', 3],
]);

/** The tables with a foreign key to `users`. An insert locks the user's row. `lock-order.test.ts` compares them with the schema. */
export const tablesOfUsers = new Set([
  'bank_details',
  'data_requests',
  'kyc_verifications',
  'name_budgets',
  'name_checks',
  'pix_codes',
  'pix_lookups',
  'pix_payments',
  'pix_quotes',
  'pix_recipients',
  'provider_accounts',
  'transactions',
  'withdraws',
]);

const LOCK =
  /\bupdate (?:only )?(?<updated>\w+)(?: (?:as )?\w+)? set\b|\bdelete from (?<deleted>\w+)|\binsert into (?<inserted>\w+)|\bfor (?:(?:no key )?update|(?:key )?share)\b(?: of (?<of>\w+))?/g;
const SOURCE = /\b(?:from|join) (?<table>\w+)(?: (?:as )?(?<alias>\w+))?/g;

const normalized = (text: string): string => text.replaceAll('"', '').replaceAll(/\s+/g, ' ').toLowerCase();

/** Returns the rows that a statement locks, in the order of its text. @throws Error for a lock of an unknown table. */
export function locksIn(sql: string): RowLock[] {
  const text = normalized(sql);
  return [...text.matchAll(LOCK)].flatMap(({ groups = {}, index }): RowLock[] => {
    const { updated, deleted, inserted, of } = groups;
    if (inserted) return tablesOfUsers.has(inserted) ? [{ table: 'users', mode: 'share' }] : [];
    return [{ table: updated ?? deleted ?? lockedTable(text.slice(0, index), of), mode: 'write' }];
  });
}

/** Returns the table of a `for update` clause: the one it names, or the last one before it. */
function lockedTable(before: string, of: string | undefined): string {
  const sources = [...before.matchAll(SOURCE)].map(({ groups = {} }) => groups);
  const source = sources.findLast(({ table, alias }) => of === undefined || of === table || of === alias);
  if (!source?.['table']) throw new Error(`a lock of an unknown table: ${before}`);
  return source['table'];
}

/** Returns the positions of the parameters that are users' ids. */
function userParameters(sql: string): number[] {
  const text = normalized(sql);
  const column = /\b(?:from|update) users\b/.test(text)
    ? /\b(?:user_)?id = \$(\d+)/g
    : /\buser_id = \$(\d+)/g;
  return [...text.matchAll(column)].map(([, position]) => Number(position) - 1);
}

const read = new Map<string, { locks: RowLock[]; userAt: number[] }>();
/** Ids of users. A null of a statement without a user must not be one: statements about different users have nulls in common. */
const users = new Set<unknown>();
const open = new WeakMap<Client, OpenTransaction>();

/** In a process that a test has started, this variable names the file for the wrong orders. */
const FILE = 'TEST_LOCK_ORDERS';
const { [FILE]: file = join(tmpdir(), `ponte-lock-orders-${process.pid}`) } = process.env;
const END = '\n\0\n';

/** Returns the earlier lock of the same decision that should have come after this one. */
function broken({ isGroup, locks }: OpenTransaction, next: Locking): Locking | undefined {
  // A statement that names no user belongs to the only decision of its transaction. In a group its decision is unknown.
  const same = locks.filter(({ users: named }) =>
    named.size === 0 || next.users.size === 0 ? !isGroup : [...named].some((user) => next.users.has(user)),
  );
  // Later locks of a table are most often of the same row.
  if (same.some(({ table, mode }) => table === next.table && (mode === 'write' || next.mode === 'share')))
    return undefined;
  const rank = ranks.get(next.table);
  if (rank === undefined) return undefined;
  return same.find(({ table }) => (ranks.get(table) ?? (rank === 0 ? 1 : -1)) > rank);
}

function record(client: Client, text: string, values: unknown[]): void {
  if (/^begin\b/i.test(text)) open.set(client, { isGroup: text.includes('lock_timeout'), locks: [] });
  else if (/^(?:commit|rollback)\b/i.test(text)) open.delete(client);
  else {
    let statement = read.get(text);
    if (!statement) read.set(text, (statement = { locks: locksIn(text), userAt: userParameters(text) }));
    for (const position of statement.userAt)
      if (typeof values[position] === 'string') users.add(values[position]);
    if (statement.locks.length === 0) return;
    const transaction = open.get(client) ?? { isGroup: false, locks: [] };
    const named = new Set(values.filter((value) => users.has(value)) as string[]);
    for (const lock of statement.locks) {
      const next = { ...lock, text, users: named };
      const earlier = broken(transaction, next);
      if (earlier)
        appendFileSync(file, `${earlier.table} before ${next.table}\n    ${earlier.text}\n    ${text}${END}`);
      transaction.locks.push(next);
    }
  }
}

const watched = Symbol.for('ponte.lock-order');

/** From now on, every statement of this process is recorded. */
export function watchLockOrder(): void {
  const prototype = Client.prototype as unknown as Record<symbol, true> & { query: unknown };
  if (prototype[watched]) return;
  prototype[watched] = true;
  const query = prototype.query as (...parameters: unknown[]) => unknown;
  prototype.query = function recorded(this: Client, ...parameters: unknown[]) {
    const [first, second] = parameters;
    if (typeof first === 'string') record(this, first, Array.isArray(second) ? second : []);
    else {
      const { text, values } = first as { text?: string; values?: unknown[] };
      if (text !== undefined) record(this, text, values ?? []);
    }
    return Reflect.apply(query, this, parameters);
  };
}

/** Returns the wrong orders since the last call, and forgets them. */
export function takeWrongOrders(): string[] {
  if (!existsSync(file)) return [];
  const orders = readFileSync(file, 'utf8').split(END).slice(0, -1);
  rmSync(file);
  return [...new Set(orders)];
}

/** @throws an error that names every wrong order. */
export function assertLockOrder(): void {
  const orders = takeWrongOrders();
  if (orders.length > 0) throw new Error(['Rows were locked in a wrong order:', ...orders].join('\n  '));
}

/** The environment in which the processes of a test are watched. */
export const watchedEnvironment = { NODE_OPTIONS: `--import=${import.meta.url}`, [FILE]: file };

if (FILE in process.env) watchLockOrder();
