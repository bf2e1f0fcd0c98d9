// Runs chosen tests of a copy of the project, and reports for each whether it failed, and with which message.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** `failed` means an assertion of the test itself failed. Any other failure throws. */
export type Verdict = { title: string; status: 'passed' | 'failed'; reason: string };

type Report = {
  testResults: {
    message: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
  }[];
};

const LIMIT_MS = 600_000;
/** Shorter than a test may take, so that a condition that never holds fails with the test's own words. */
const CONDITION_WITHIN_MS = 30_000;
/** Longer than tests usually have: only their assertions count here. */
const PATIENCE = ['--testTimeout=60000', '--hookTimeout=120000'];

/**
 * @param databaseUrl a PostgreSQL server without other test runs.
 * @throws if no such test was run: a file that cannot be loaded proves nothing.
 */
export async function runTests(
  { folder, databaseUrl }: { folder: string; databaseUrl: string },
  files: string[],
  titles: string[],
): Promise<Verdict[]> {
  const output = join(folder, 'report.json');
  const chosen = titles.map((title) => title.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  const args = ['run', ...files, '-t', chosen, '--reporter=json', `--outputFile=${output}`, ...PATIENCE];
  const printed = await run(join(folder, 'node_modules/vitest/vitest.mjs'), args, { folder, databaseUrl });
  const report = reportIn(output);
  const results = report?.testResults.flatMap(({ assertionResults }) => assertionResults) ?? [];
  const verdicts = results
    .filter(({ status }) => status === 'passed' || status === 'failed')
    .map(({ fullName, status, failureMessages }) => ({
      title: fullName,
      status: status === 'passed' ? ('passed' as const) : ('failed' as const),
      reason: (failureMessages[0] ?? '').split('\n', 1)[0] ?? '',
    }));
  if (verdicts.length === 0)
    throw new Error(
      `no test ran in ${files.join(', ')}: ${report?.testResults[0]?.message ?? printed.slice(-500)}`,
    );
  return verdicts;
}

/** Whether the message is that of a failed assertion, or of a condition that never became true. */
export const isItsOwn = ({ reason }: Verdict): boolean =>
  /^AssertionError|^Error: (did not come about|http\S+ answered|Test timed out|promise resolved)/.test(
    reason,
  );

function run(
  script: string,
  args: string[],
  { folder: cwd, databaseUrl }: { folder: string; databaseUrl: string },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = {
      ...process.env,
      NO_COLOR: '1',
      TEST_DATABASE: databaseUrl,
      TEST_PATIENCE_MS: String(CONDITION_WITHIN_MS),
    };
    const child = spawn(process.execPath, [script, ...args], { cwd, env, timeout: LIMIT_MS });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
    child.once('error', reject);
    child.once('close', () => resolve(output));
  });
}

function reportIn(file: string): Report | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report;
  } catch {
    return null;
  }
}
