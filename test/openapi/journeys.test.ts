// Redocly Respect makes the journeys of openapi/journeys.arazzo.yaml with the service. It also checks every answer against the
// contract.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorld, type World } from '../support/world.ts';

const root = resolve(import.meta.dirname, '../..');
const JOURNEYS = [
  'open-account',
  'payment',
  'pay-a-code',
  'failed-payout',
  'withdrawal',
  'failed-verification',
  'leaving',
];

type Report = { files: Record<string, { executedWorkflows: Workflow[] }> };
type Workflow = { workflowId: string; status: string; executedSteps: { stepId: string; status: string }[] };

/** Makes the journeys. If one fails, the command's output is shown: it names the step and the answer. */
async function makeJourneys({ url, sandboxUrl }: World): Promise<{ printed: string; made: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'ponte-journeys-'));
  const report = join(folder, 'report.json');
  const command = [
    join(root, 'node_modules/@redocly/cli/bin/cli.js'),
    'respect',
    'openapi/journeys.arazzo.yaml',
    `--server=service=${url}`,
    `--server=sandbox=${sandboxUrl}`,
    `--json-output=${report}`,
  ];
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  try {
    const printed = await promisify(execFile)(process.execPath, command, { cwd: root, env }).then(
      () => '',
      (failure: { stdout: string; stderr: string }) => failure.stdout + failure.stderr,
    );
    if (!existsSync(report)) throw new Error(printed);
    const { files } = JSON.parse(readFileSync(report, 'utf8')) as Report;
    const made = Object.values(files).flatMap(({ executedWorkflows }) => executedWorkflows);
    return { printed, made: made.map(({ workflowId, status }) => `${workflowId} ${status}`) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const cases = [
  ['in one conversion', 'direct'],
  ['in two conversions', 'twoHop'],
] as const;
let worlds: Record<'direct' | 'twoHop', World>;

beforeAll(async () => {
  const [direct, twoHop] = await Promise.all([
    startWorld(),
    startWorld({ env: { USDC_ACCOUNTS_ENABLED: 'true' } }),
  ]);
  worlds = { direct, twoHop };
});
afterAll(async () => {
  for (const world of Object.values(worlds)) await world.stop();
});

// Most of the time passes between polls, so both run concurrently.
test.concurrent.each(cases)(
  'the journeys with payments %s succeed, and every answer matches the contract',
  { timeout: 180_000 },
  async (_title, name) => {
    const { printed, made } = await makeJourneys(worlds[name]);
    expect(printed).toBe('');
    expect(made).toEqual(JOURNEYS.map((journey) => `${journey} success`));
  },
);
