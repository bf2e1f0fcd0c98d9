// The SDK of OpenTelemetry is loaded only by a process that traces.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { goodEnv } from '../start/process/good-env.ts';
import { markSecrets } from '../support/leak-watch.ts';
import { ROOT, surroundings } from '../support/process.ts';
import { useDatabase } from '../support/use-database.ts';

const database = useDatabase();

async function loadedBy(env: NodeJS.ProcessEnv): Promise<string[]> {
  const all = { ...goodEnv(database.url), ...env };
  markSecrets(all);
  const { stdout } = await promisify(execFile)(process.execPath, ['test/tracing/loaded-packages.ts'], {
    cwd: ROOT,
    env: { ...surroundings(), ...all },
  });
  return JSON.parse(stdout) as string[];
}

test('a process without a collector loads only the API of OpenTelemetry', async () => {
  expect(await loadedBy({})).toEqual(['api']);
});

test('a process with a collector loads the SDK, and stops although the collector cannot be reached', async () => {
  expect(await loadedBy({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' })).toEqual(
    expect.arrayContaining(['api', 'exporter-trace-otlp-http', 'sdk-trace']),
  );
});
