// The results of the incidents, collected over several runs of this checkout.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../../harness/processes/node-process.ts';
import type { Result } from './run.ts';

export type Results = { incidents: Result[]; week: string | null };

/** `npm run try:alerts` alone takes hours, so its report has the last result of each incident. */
const FILE = join(ROOT, 'build/alerts.json');

export const readResults = (): Results =>
  existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Results) : { incidents: [], week: null };

export function keepResult(result: Result): void {
  const { incidents, week } = readResults();
  keep({ incidents: [...incidents.filter(({ name }) => name !== result.name), result], week });
}

export const keepWeek = (week: string): void => keep({ ...readResults(), week });

function keep(results: Results): void {
  mkdirSync(dirname(FILE), { recursive: true });
  writeFileSync(FILE, `${JSON.stringify(results, null, 2)}\n`);
}
