// Captures everything that the service logs, refuses, counts and stores in a test, even temporarily. When the test's database is
// dropped, the captured texts are searched for marked values. A leak fails the file.
import type { Pool, QueryResult } from 'pg';
import { pino } from 'pino';
import type { Log } from '../../src/domain/log.ts';
import { noDeadlines } from '../../src/platform/database/deadlines.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import type { MasterKey } from '../../src/security/data-keys.ts';
import { dataKeyContext } from '../../src/security/data-keys.ts';
import { openWith } from '../../src/security/envelope.ts';
import { createLog } from '../../src/start/log.ts';
import { CAPTURE_TRIGGERS } from './capture-triggers.ts';
import { type Captured, type Leak, leaksIn, type Mark } from './leaks.ts';

/** Shorter values occur as words in ordinary texts. */
const SHORTEST = 5;

let captured: Captured[] = [];
const marks = new Map<string, Mark>();
const masterKeys = new Map<string, MasterKey>();

/** Forgets what other test files of this process have captured and marked. */
export function forgetAll(): void {
  captured = [];
  marks.clear();
  masterKeys.clear();
}

/** @param where the place in a few words, or as `table.column`. */
export const capture = (where: string, text: string): void => void captured.push({ where, text });

/** A log that keeps every line, down to debug. TEST_LOG_LEVEL chooses the lines that are also shown. */
export function watchedLog(): Log {
  const { values } = pino.levels;
  const shownFrom = values[process.env['TEST_LOG_LEVEL'] ?? ''] ?? Number.POSITIVE_INFINITY;
  return createLog('debug', {
    write: (line) => {
      capture('the log', line);
      const [, level = ''] = /"level":"(\w+)"/.exec(line) ?? [];
      if ((values[level] ?? 0) >= shownFrom) process.stdout.write(line);
    },
  });
}

function mark(what: string, value: string): void {
  const text = value.trim();
  if (text.length >= SHORTEST) marks.set(text, { what, value: text });
}

/** Marks a token's claims and signature as separate secrets. Its header is public. */
export const markToken = (token: string): void => {
  for (const part of token.split('.').slice(1)) mark('a token', part);
};

/** Marks every secret in a service's environment, whether the service can start with it or not. */
export function markSecrets(env: NodeJS.ProcessEnv): void {
  const { PROVIDER_USERNAME: username = '', PROVIDER_PASSWORD: passwords = '' } = env;
  const basic = passwords.split(',').map((one) => Buffer.from(`${username}:${one}`).toString('base64'));
  const lists = `${env['SESSION_SECRET']},${env['SEARCH_KEY']}`.split(',');
  for (const secret of [...lists, env['WEBHOOK_SECRET'], ...passwords.split(','), ...basic])
    mark('a secret', secret ?? '');
  for (const entry of (env['PII_ENCRYPTION_KEY'] ?? '').split(',')) {
    const [id = '', base64 = ''] = entry.split(':');
    const key = Buffer.from(base64, 'base64');
    masterKeys.set(entry, { id, key });
    markKey(key);
  }
}

function markKey(key: Buffer): void {
  mark('a key', key.toString('base64'));
  mark('a key', key.toString('hex'));
}

const personal: Record<string, string> = {
  name: 'a name',
  displayName: 'a name',
  fullName: 'a name',
  accountHolderName: 'a name',
  recipientName: 'a name',
  email: 'an e-mail address',
  accountNumber: 'an account number',
  iban: 'an IBAN',
  pixKey: 'a PIX key',
  notes: 'what somebody wrote',
};

/** Marks every personal value of a request or an answer, by the contract's names, and its tokens. */
export function markPersonal(said: unknown): void {
  if (typeof said !== 'object' || said === null) return;
  for (const [name, value] of Object.entries(said)) {
    if (typeof value !== 'string') markPersonal(value);
    else if (name === 'idToken' || name === 'sessionToken') markToken(value);
    // Masked values may be seen.
    else if (name in personal && !value.includes('*')) {
      mark(personal[name] ?? '', value);
      mark(personal[name] ?? '', value.replaceAll(/[\s.-]/g, ''));
    }
  }
}

/** Captures every column of every table, and marks the opened data keys. */
export async function captureDatabase(url: string): Promise<void> {
  const pool = createPool(url, 1, noDeadlines);
  try {
    const columns = await columnsIn(pool);
    captured.push(...columns);
    if (columns.some(({ where }) => where === 'data_keys.wrapped_key')) await markDataKeys(pool);
  } finally {
    await pool.end();
  }
}

/** Reads every column of every table, as a backup contains them: no value is opened. */
export async function columnsIn(pool: Pool): Promise<Captured[]> {
  const { rows: tables } = await pool.query<{ name: string; columns: string[] }>(`
    select attrelid::regclass::text as name, array_agg(attname::text order by attnum) as columns
    from pg_attribute join pg_class on pg_class.oid = attrelid
    where relnamespace::regnamespace::text in ('public', '${CAPTURE_TRIGGERS}') and relkind in ('r', 'p')
      and not relispartition and attnum > 0 and not attisdropped
    group by attrelid
  `);
  // The additional statement has no effect. It makes the driver answer with a list, which it does only for several statements.
  const statements = [
    'select',
    ...tables.map(({ name, columns }) => {
      const texts = columns.map((column) => `string_agg("${column}"::text, E'\\n') as "${column}"`);
      return `select ${texts.join(', ')} from ${name}`;
    }),
  ];
  type Answer = QueryResult<Record<string, string | null>>;
  const [, ...answers] = [(await pool.query(statements.join(';'))) as unknown as Answer | Answer[]].flat();
  return answers.flatMap(({ rows }, at) =>
    Object.entries(rows[0] ?? {}).flatMap(([column, text]) =>
      text === null ? [] : [{ where: `${tables[at]?.name}.${column}`, text }],
    ),
  );
}

async function markDataKeys(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ scope: string; master_key_id: string; wrapped_key: Buffer }>(
    'select scope, master_key_id, wrapped_key from data_keys limit 500',
  );
  for (const { scope, master_key_id: id, wrapped_key: wrapped } of rows)
    for (const master of masterKeys.values())
      if (master.id === id)
        try {
          markKey(openWith(master.key, dataKeyContext(scope), wrapped));
        } catch {
          // The value belongs to another world, or the test has spoilt it.
        }
}

/**
 * Searches what was captured since the last call, and drops it.
 * @throws an error that names every leak.
 */
export function assertNothingLeaked(): void {
  const leaks = leaksIn(together(captured), [...marks.values()]);
  captured = [];
  if (leaks.length > 0) throw new Error(['Leaked:', ...leaks.map(lineOf)].join('\n  '));
}

function together(all: Captured[]): Captured[] {
  const texts = Map.groupBy(all, ({ where }) => where);
  return [...texts].map(([where, ones]) => ({ where, text: ones.map(({ text }) => text).join('\n') }));
}

const lineOf = ({ where, what, form, value }: Leak): string => `${where}: ${what}, ${form}: ${value}`;

export const capturedAt = (where: string): string =>
  captured.flatMap((one) => (one.where === where ? [one.text] : [])).join('\n');
