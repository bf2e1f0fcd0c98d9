// One scenario from beginning to end, on its own processes: users sign up and pay, the scenario disturbs the processes, the
// payments reach their final states, and everything is checked.
import { mkdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'pg';
import { freePort } from '../../harness/processes/free-port.ts';
import type { AtEnd } from '../run-in-folder.ts';
import { createCounts } from '../stack/counts.ts';
import { startCrashableDatabase } from '../stack/database.ts';
import { payContinuously } from '../stack/payers.ts';
import { gather, withMoney } from '../stack/people.ts';
import { auditAtRest, quiesce } from '../stack/quiesce.ts';
import { startStack } from '../stack/stack.ts';
import { check } from './check.ts';
import type { Options, ScenarioName } from './options.ts';
import { recordOutcomes } from './outcomes.ts';
import { DEAD_AFTER_SECONDS, type Result } from './scenario.ts';
import { scenarios } from './scenarios.ts';

const WARM_UP_MS = 3_000;

export async function runScenario(
  name: ScenarioName,
  options: Options,
  folder: string,
  atEnd: AtEnd,
): Promise<Result> {
  const { processes, run } = scenarios[name];
  const say = (what: string) => console.log(`${name}: ${what}`);
  say('starting');
  mkdirSync(folder);
  const ports = await Promise.all(Array.from({ length: processes }, freePort));
  const envOf = (index: number) => ({
    METRICS_PORT: String(ports[index]),
    PROCESS_DEAD_AFTER_SECONDS: String(DEAD_AFTER_SECONDS),
    PROVIDER_TIMEOUT_MS: '10000',
  });
  const startDatabase = (databaseFolder: string) => startCrashableDatabase(databaseFolder, false, atEnd);
  const stack = await startStack(folder, { processes, envOf, startDatabase }, atEnd);
  const pool = new Pool({ connectionString: stack.database.url, max: 4 });
  // A frozen database must not end the run.
  pool.on('error', () => undefined);
  atEnd(() => pool.end());
  await recordOutcomes(pool);

  const counts = createCounts();
  const { urls, sandboxUrl, shown, orders } = stack;
  const people = withMoney(await gather({ urls, sandboxUrl, seed: 0, counts, shown }, options.payers));
  say('people pay');
  let isQuiet = false;
  const paying = payContinuously({ counts, orders, isQuiet: () => isQuiet }, people);
  await pause(WARM_UP_MS);
  const metricsUrls = ports.map((port) => `http://127.0.0.1:${port}`);
  const result = await run({ stack, pool, metricsUrls, options });
  isQuiet = true;
  const failures = await paying;
  say(`${counts.accepted.payments} payments were accepted; they come to their ends`);
  await Promise.all([...stack.instances, stack.sandbox].map((child) => child.ready()));
  const rest = await quiesce(stack, (left) => say(`under way: ${left}`));
  const { rows, violations } = await check(stack, pool, await auditAtRest(stack, people, rest));
  const fallen = stack.instances.filter((child) => child.falls() > 0).length;
  return {
    rows: [...result.rows, ...rows],
    violations: [
      ...result.violations,
      ...violations,
      ...failures.map((what) => `a client: ${what}`),
      ...(fallen > 0 ? [`${fallen} processes ended by themselves`] : []),
    ],
  };
}
