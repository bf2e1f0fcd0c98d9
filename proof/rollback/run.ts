// One drill: the former version serves, the schema is migrated beside it, this version replaces it process by process, the former
// version comes back, and this version replaces it again. Users pay all the time.
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'pg';
import { startEmbeddedDatabase } from '../../scripts/embedded-database.ts';
import { freePort } from '../../scripts/free-port.ts';
import { sandboxSettings } from '../../scripts/local-stack.ts';
import { audit, type Finding } from '../audit/audit.ts';
import { isProviderAtRest } from '../audit/theirs.ts';
import { keepRunning } from '../chaos/child.ts';
import { createCounts } from '../chaos/counts.ts';
import { openJournal } from '../chaos/journal.ts';
import { pay } from '../chaos/payments.ts';
import { join as joins, type Person, payIn } from '../chaos/people.ts';
import { underWay } from '../chaos/under-way.ts';
import { createRandom } from '../random.ts';
import type { AtEnd } from '../run-in-folder.ts';
import { type Phase, startBalancer } from './balancer.ts';
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
  const logs = join(folder, 'logs');
  mkdirSync(logs);
  const database = await startEmbeddedDatabase({ folder: join(folder, 'database'), keep: true });
  atEnd(database.stop);
  const sandboxPort = await freePort();
  const sandboxUrl = `http://127.0.0.1:${sandboxPort}`;
  const sandboxData = join(folder, 'sandbox');
  const sandbox = keepRunning(
    'sandbox/main.ts',
    () => ({
      SANDBOX_PORT: String(sandboxPort),
      SANDBOX_DATA: sandboxData,
      SANDBOX_BASE_URL: sandboxUrl,
      SANDBOX_SETTLE_MS: '150',
      SANDBOX_ACTIVATE_MS: '200',
      SANDBOX_SLOW_MS: '5000',
    }),
    join(logs, 'sandbox.log'),
  );
  atEnd(sandbox.end);
  await sandbox.ready();
  const balancer = await startBalancer();
  atEnd(balancer.stop);
  const env: NodeJS.ProcessEnv = {
    ...sandboxSettings(sandboxUrl),
    // The former version may not know lists.
    IDENTITY_B_ISSUER: `${sandboxUrl}/identity/b`,
    PUBLIC_BASE_URL: balancer.url,
    DATABASE_URL: database.url,
    SESSION_SECRET: randomBytes(32).toString('base64url'),
    PII_ENCRYPTION_KEY: `drill:${randomBytes(32).toString('base64')}`,
    WEBHOOK_SECRET: randomBytes(32).toString('base64url'),
    SHUTDOWN_DELAY_SECONDS,
    LOG_LEVEL: 'warn',
  };

  const running: Running[] = [];
  atEnd(async () => void (await Promise.all(running.map((one) => one.stop()))));
  const failures: string[] = [];
  const startOne = async (version: Version): Promise<void> => {
    const started = await serve(version, { env, folder: logs });
    running.push(started);
    await balancer.add(started);
  };
  const stopFirst = async (): Promise<void> => {
    const [stopped] = running.splice(0, 1);
    const code = await stopped?.stop();
    balancer.remove(stopped?.url ?? '');
    if (code !== 0) failures.push(`a process that was asked to stop ended with ${code}`);
  };
  /** Starts a process of the version for each running one, and stops that one when the new one is ready. */
  const replaceWith = async (version: Version): Promise<void> => {
    for (let left = running.length; left > 0; left -= 1) {
      await startOne(version);
      await stopFirst();
    }
  };

  console.log('users join');
  balancer.begin('users join');
  await migrate(former, env);
  for (let count = 0; count < PROCESSES; count += 1) await startOne(former);
  const counts = createCounts();
  const [orders, shown] = [
    openJournal(join(folder, 'orders.jsonl')),
    openJournal(join(folder, 'shown.jsonl')),
  ];
  const population = { urls: [balancer.url], sandboxUrl, seed, counts, shown };
  const users = await Promise.all(
    Array.from({ length: people }, async (_, index) => {
      const person = await joins(population, index);
      await payIn(population, person, '20000.00');
      return person;
    }),
  );

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
  await phase('this version replaces it', () => replaceWith(present));
  await phase('the former version comes back', () => replaceWith(former));
  await phase('this version replaces it again', () => replaceWith(present));
  balancer.begin('the last payments end');
  failures.push(...(await load.stop()));
  failures.push(...(await rest(database.url, sandboxData)));
  await sandbox.end();
  const findings = await audit(database.url, sandboxData, { ordersFile: orders.file, shownFile: shown.file });
  return { phases: balancer.phases, accepted: counts.accepted.payments, failures, findings };
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
async function rest(databaseUrl: string, sandboxData: string): Promise<string[]> {
  const pool = new Pool({ connectionString: databaseUrl, max: 1 });
  try {
    for (const begun = Date.now(); ; await pause(250)) {
      const isTheirsAtRest = isProviderAtRest(sandboxData);
      const { left } = await underWay(pool);
      if (isTheirsAtRest && left === '') return [];
      if (Date.now() - begun > REST_WITHIN_MS)
        return [`not finished: ${left}${isTheirsAtRest ? '' : ', the provider'}`];
    }
  } finally {
    await pool.end();
  }
}
