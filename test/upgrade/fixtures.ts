// Values that released versions wrote into databases and tokens, kept as they were written. Every version must continue from them.
// Fixtures of values are only ever added. `npm run fixtures:keep` records those of states and transitions. To add another one, write it next to
// the others; the command appends its line to `fixtures/kept.txt`.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Effect } from '../../machines/effects.ts';
import type { SubjectKind } from '../../src/tables/subject.ts';

const folder = join(import.meta.dirname, 'fixtures');
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');

/** A row of a lifecycle with the columns that its machine reads, and the result of each event. */
export type StateFixture = {
  kind: SubjectKind;
  row: { state: string } & Record<string, unknown>;
  steps: {
    event: string;
    event_data: Record<string, unknown>;
    to: string;
    columns: Record<string, unknown>;
    effects: Effect[];
  }[];
};

export const states = JSON.parse(read('states.json')) as Record<string, StateFixture>;

/** Single values. The first words of each name say what the value is. */
const values = JSON.parse(read('values.json')) as Record<string, unknown>;

/** @returns the names and values of all values whose name begins with `beginning`. */
export const valuesOf = <Value>(beginning: string): [string, Value][] =>
  Object.entries(values).filter(([name]) => name.startsWith(beginning)) as [string, Value][];

/** What a former version left behind: its database, the provider that it worked with, and the final states of its rows. */
export type DatabaseFixture = {
  /** The version that left the database. */
  version: string;
  /** The statements that create the schema, the records of the migrations, and the rows. */
  sql: string;
  /** The statements that create the sandbox's store. `{{service}}` stands for the service's address. */
  sandbox: string;
  recordedAt: string;
  env: Record<'SESSION_SECRET' | 'PII_ENCRYPTION_KEY' | 'WEBHOOK_SECRET', string>;
  people: Record<string, { id: string; token: string }>;
  asks: { as: string; method: string; path: string; key?: string; body?: object; answers?: object }[];
  shows: { as: string; path: string; with: object }[];
  finds: { sql: string; rows: object[] }[];
  /** What the auditor says about the objects that the erased user left at the provider. */
  erased: string[];
};

const VERSION = '1.1.0';

/**
 * The database of the oldest version that can be upgraded to this one. Its own code wrote it, with its own sandbox, and was killed at
 * work. When a later version becomes the oldest one, record its database in the same way and remove this one.
 */
export const formerDatabase: DatabaseFixture = {
  version: VERSION,
  sql: read(`databases/${VERSION}.sql`),
  sandbox: read(`databases/${VERSION}.sandbox.sql`),
  ...(JSON.parse(read(`databases/${VERSION}.json`)) as Omit<DatabaseFixture, 'version' | 'sql' | 'sandbox'>),
};

/** A line for each fixture, as in `kept.txt`: the hash of its text, and its name. */
export const present = (): string[] =>
  [
    ...Object.entries(states).map(([name, fixture]) => [name, JSON.stringify(fixture)]),
    ...Object.entries(values).map(([name, value]) => [name, JSON.stringify(value)]),
    [`database ${VERSION}`, JSON.stringify(formerDatabase)],
  ].map(
    ([name = '', text = '']) => `${createHash('sha256').update(text).digest('hex').slice(0, 16)} ${name}`,
  );

export const kept = (): string[] => read('kept.txt').split('\n').filter(Boolean);
