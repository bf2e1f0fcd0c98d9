// One drill: the former version serves, the schema is migrated beside it, this version replaces it process by process, the former
// version comes back, and this version replaces it again. Users pay all the time.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startEmbeddedDatabase } from '../../harness/database/embedded-database.ts';
import { withPool } from '../../harness/database/query.ts';
import { newSecrets, sandboxSettings } from '../../harness/stack/settings.ts';
import { audit, type Finding } from '../audit/audit.ts';
import { isProviderAtRest } from '../audit/theirs.ts';
import { pay } from '../chaos/payments.ts';
import { createRandom } from '../random.ts';
import type { AtEnd } from '../run-in-folder.ts';
import { createCounts } from '../stack/counts.ts';
import { gather, type Person, withMoney } from '../stack/people.ts';
import { journalsIn, logsIn, startSandboxProcess } from '../stack/stack.ts';
import { underWay } from '../stack/under-way.ts';
import { type Balancer, type Phase, startBalancer } from './balancer.ts';
import { migrate, present, type Running, serve, type Version } from './version.ts';

export type DrillOptions = { paymentsPerSecond: number; phaseMs: number; people: number; seed: number };
export type Drill = { phases: Phase[]; accepted: number; failures: string[]; findings: Finding[] };

const PROCESSES = 2;
const REST_WITHIN_MS = 8 * 60_000;
const SHUTDOWN_DELAY_SECONDS = '2';

export async function runDrill(
  former: Version,
  { paymentsPerSecond, phaseMs, people, seed }: DrillOptions,
  folder: string,
  atEnd: AtEnd,
): Promise<Drill> {
  mkdirSync(logsIn(folder));
  const database = await startEmbeddedDatabase({ folder: join(folder, 'database'), keep: true });
  atEnd(database.stop);
  const { sandbox, sandboxUrl, sandboxData } = await startSandboxProcess(folder, atEnd);
  await sandbox.ready();
  const balancer = await startBalancer();
  atEnd(balancer.stop);
  const env: NodeJS.ProcessEnv = {
    ...sandboxSettings(sandboxUrl),
    ...newSecrets('drill'),
    // The former version may not know lists.
    IDENTITY_B_ISSUER: `${sandboxUrl}/identity/b`,
    PUBLIC_BASE_URL: balancer.url,
    DATABASE_URL: database.url,
    SHUTDOWN_DELAY_SECONDS,
    LOG_LEVEL: 'warn',
  };
  const fleet = createFleet(balancer, { env, folder: logsIn(folder) }, atEnd);

  console.log('users join');
  balancer.begin('users join');
  await migrate(former, env);
  for (let count = 0; count < PROCESSES; count += 1) await fleet.startOne(former);
  const counts = createCounts();
  const { orders, shown } = journalsIn(folder);
  const population = { urls: [balancer.url], sandboxUrl, seed, counts, shown };
  const users = withMoney(await gather(population, people));

  const load = startLoad(users, paymentsPerSecond, seed, (person, random) =>
    pay({ counts, orders, isQuiet: () => false }, person, random),
  );
  const phase = async (name: string, work: () => Promise<void>): Promise<void> => {
    console.log(name);
    balancer.begin(name);
    await work();
    await pause(phaseMs);
  };
  await phase('the former version serves', async () => undefined);
  await phase('the schema is migrated', () => migrate(present, env));
  await phase('this version replaces it', () => fleet.replaceWith(present));
  await phase('the former version comes back', () => fleet.replaceWith(former));
  await phase('this version replaces it again', () => fleet.replaceWith(present));
  balancer.begin('the last payments end');
  const failures = [...fleet.failures, ...(await load.stop()), ...(await rest(database.url, sandboxData))];
  await sandbox.end();
  const findings = await audit(database.url, sandboxData, { ordersFile: orders.file, shownFile: shown.file });
  return { phases: balancer.phases, accepted: counts.accepted.payments, failures, findings };
}

type Fleet = {
  startOne: (version: Version) => Promise<void>;
  /** Starts a process of the version for each running one, and stops that one when the new one is ready. */
  replaceWith: (version: Version) => Promise<void>;
  failures: string[];
};

/** The running processes of both versions, behind the balancer. */
function createFleet(
  balancer: Balancer,
  settings: { env: NodeJS.ProcessEnv; folder: string },
  atEnd: AtEnd,
): Fleet {
  const running: Running[] = [];
  atEnd(async () => void (await Promise.all(running.map((one) => one.stop()))));
  const failures: string[] = [];
  const startOne = async (version: Version): Promise<void> => {
    const started = await serve(version, settings);
    running.push(started);
    await balancer.add(started);
  };
  const stopFirst = async (): Promise<void> => {
    const [stopped] = running.splice(0, 1);
    const code = await stopped?.stop();
    balancer.remove(stopped?.url ?? '');
    if (code !== 0) failures.push(`a process that was asked to stop ended with ${code}`);
  };
  const replaceWith = async (version: Version): Promise<void> => {
    for (let count = running.length; count > 0; count -= 1) {
      await startOne(version);
      await stopFirst();
    }
  };
  return { startOne, replaceWith, failures };
}

/** Begins payments at a steady rate. `stop` resolves with what failed, when all of them have ended. */
function startLoad(
  users: Person[],
  perSecond: number,
  seed: number,
  payOnce: (person: Person, random: ReturnType<typeof createRandom>) => Promise<void>,
): { stop: () => Promise<string[]> } {
  const failures: string[] = [];
  const begun: Promise<void>[] = [];
  const start = (): void => {
    const random = createRandom(seed, `payment ${begun.length}`);
    const person = users[begun.length % users.length];
    if (person)
      begun.push(payOnce(person, random).catch((error: unknown) => void failures.push(String(error))));
  };
  const timer = setInterval(start, 1_000 / perSecond);
  return {
    stop: async () => {
      clearInterval(timer);
      await Promise.all(begun);
      return failures;
    },
  };
}

/** Waits until the provider and then the service have nothing left to do: a payout may complete after it was reported as failed. */
const rest = (databaseUrl: string, sandboxData: string): Promise<string[]> =>
  withPool(databaseUrl, async (pool) => {
    for (const begun = Date.now(); ; await pause(250)) {
      const isTheirsAtRest = isProviderAtRest(sandboxData);
      const { left } = await underWay(pool);
      if (isTheirsAtRest && left === '') return [];
      if (Date.now() - begun > REST_WITHIN_MS)
        return [`not finished: ${left}${isTheirsAtRest ? '' : ', the provider'}`];
    }
  });
