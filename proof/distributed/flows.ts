// The stories of test/flows/ on the cluster, two files at a time. Each file gets a database on every server.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../harness/processes/node-process.ts';

/** `unable` are the stories that need what a cluster cannot have. */
export type Flows = { files: number; tests: number; failures: string[]; unable: string[] };

type Report = {
  numTotalTests: number;
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[];
  }[];
};

/** @throws Error if the tests did not begin. */
export async function runFlows(url: string, folder: string): Promise<Flows> {
  const reportFile = join(folder, 'flows.json');
  const options = ['--maxWorkers=2', '--reporter=json', `--outputFile=${reportFile}`];
  const tests = spawn(
    process.execPath,
    [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', 'test/flows', ...options],
    { cwd: ROOT, env: { ...process.env, TEST_DATABASE: url }, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  await once(tests, 'close');
  return readFlows(readFileSync(reportFile, 'utf8'));
}

/** A test that makes the database slow with a trigger has no other way to do so. */
const UNABLE = /triggers are not supported on distributed tables/;

/** Reads what Vitest reports. A file that could not be loaded has no tests, but a message. */
export function readFlows(report: string): Flows {
  const { numTotalTests, testResults } = JSON.parse(report) as Report;
  const unable: string[] = [];
  const failures = testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = name.slice(name.indexOf('test/flows/'));
    const failed = assertionResults.filter((one) => one.status === 'failed');
    if (failed.length === 0) return status === 'failed' ? [`${file}: ${message}`] : [];
    return failed.flatMap(({ fullName, failureMessages }) => {
      const isUnable = failureMessages.some((text) => UNABLE.test(text));
      if (isUnable) unable.push(`${file}: ${fullName}`);
      return isUnable ? [] : [`${file}: ${fullName}`];
    });
  });
  return { files: testResults.length, tests: numTotalTests, failures, unable };
}
