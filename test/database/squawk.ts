// Lints the SQL of a migration with squawk, which knows the statements that lock or rewrite a table of a live database.
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import type { Migration } from '@mikro-orm/migrations';
import { ROOT } from '../support/process.ts';

const EXCLUDED: Readonly<Record<string, string>> = {
  'require-lock-timeout': 'the connection of the migrations has one (deadlines.ts)',
  'require-statement-timeout': 'an index of a large table may take longer than any limit',
  'prefer-robust-stmts': 'a migration is one transaction, or drops the index that an interrupted try left',
  'prefer-text-field': 'a listed limit of characters is part of what a column says',
  'prefer-bigint-over-int': 'counts of attempts and basis points stay small',
  'require-enum-value-ordering': 'no statement compares the values of a type by their order',
};

type Finding = { rule_name: string; line: number; message: string };
type MigrationClass = new (...args: never[]) => Migration;

/** @returns the names of the rules that the migration breaks, and the statement of each. */
export async function lint(one: MigrationClass): Promise<string[]> {
  const migration = new one();
  await migration.up();
  // Each statement becomes one line, so that a finding's line is the statement's place.
  const statements = migration.getQueries().map((query) => {
    if (typeof query !== 'string') throw new TypeError('the statement of a migration is not text');
    return query.replaceAll(/\s+/g, ' ').replace(/;? *$/, ';');
  });
  const findings = squawk(statements.join('\n'), migration.isTransactional());
  return findings.map(({ rule_name: rule, line }) => `${rule}: ${statements[line] ?? ''}`);
}

function squawk(text: string, isTransactional: boolean): Finding[] {
  const options = [
    '--reporter=json',
    '--pg-version=18',
    `--exclude=${Object.keys(EXCLUDED).join(',')}`,
    ...(isTransactional ? ['--assume-in-transaction'] : []),
  ];
  try {
    const program = path.join(ROOT, 'node_modules/.bin/squawk');
    return JSON.parse(
      execFileSync(program, options, { input: text, encoding: 'utf8', stdio: 'pipe' }),
    ) as Finding[];
  } catch (error) {
    // With findings it exits with 1.
    const { status, stdout } = error as { status?: number; stdout?: string };
    if (status === 1 && stdout) return JSON.parse(stdout) as Finding[];
    throw error;
  }
}
