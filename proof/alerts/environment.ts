// The service that an incident hits: two processes, the sandbox, and a database that each process reaches through a proxy. Users pay
// all the time. Every incident gets a new environment, so it cannot disturb the next one.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseEnv } from 'node:util';
import { type DatabaseProxy, startDatabaseProxy } from '../../harness/database-proxy/database-proxy.ts';
import { createPerson, join as joins, type Person, pay } from '../../harness/people/person.ts';
import { freePort } from '../../harness/processes/free-port.ts';
import { type KeptProcess, keepRunning } from '../../harness/processes/kept-process.ts';
import { startNode } from '../../harness/processes/node-process.ts';
import { startTemporaryStack } from '../../harness/stack/temporary-stack.ts';
import type { AtEnd } from '../run-in-folder.ts';

const USERS = 2;
const DEPOSIT = '90000.00';
/** How long a user waits between two payments. */
const BETWEEN_PAYMENTS_MS = 500;
const START_WITHIN_MS = 120_000;

export type Environment = {
  url: string;
  sandboxUrl: string;
  /** Users with an account and money. */
  people: Person[];
  /** The first process, which also serves the API, and a second worker. */
  metricsPorts: [first: number, second: number];
  /** The connections of each process to the database. */
  databases: [first: DatabaseProxy, second: DatabaseProxy];
  /** The second process. It starts again whenever it is killed. */
  worker: KeptProcess;
  /** Calls a control of the sandbox. */
  control: (method: 'PUT' | 'POST', path: string, body: object) => Promise<void>;
  /** Runs the operators' command line. */
  ops: (args: string[], env: NodeJS.ProcessEnv) => Promise<string>;
};

/** @param env settings of the service that only this incident has. */
export async function startEnvironment(
  folder: string,
  atEnd: AtEnd,
  env: (sandboxUrl: string) => NodeJS.ProcessEnv = () => ({}),
): Promise<Environment> {
  const metricsPorts: [number, number] = [await freePort(), await freePort()];
  const [port, sandboxPort] = [await freePort(), await freePort()];
  const proxies: DatabaseProxy[] = [];
  const own = { ...env(`http://localhost:${sandboxPort}`), LOG_LEVEL: 'silent' };
  const stack = await startTemporaryStack(folder, {
    port,
    sandboxPort,
    env: own,
    envOf: async (_role, databaseUrl) => {
      for (let count = 0; count < metricsPorts.length; count += 1)
        proxies.push(await startDatabaseProxy(databaseUrl));
      return { DATABASE_URL: proxies[0]?.url, METRICS_PORT: String(metricsPorts[0]) };
    },
  });
  atEnd(async () => {
    await stack.stop();
    for (const proxy of proxies) await proxy.close();
  });
  const [first, second] = proxies as [DatabaseProxy, DatabaseProxy];
  const settings = parseEnv(readFileSync(join(folder, 'stack.env'), 'utf8'));
  const worker = keepRunning(
    'src/start/serve.ts',
    () => ({
      ...settings,
      ROLE: 'worker',
      DATABASE_URL: second.url,
      METRICS_PORT: String(metricsPorts[1]),
    }),
    join(folder, 'worker.log'),
  );
  atEnd(() => worker.end());
  await worker.ready();
  const { url, sandboxUrl } = stack;
  const people = Array.from({ length: USERS }, () => createPerson({ url, sandboxUrl }));
  await Promise.all(people.map((person) => joins(person, DEPOSIT, { withinMs: START_WITHIN_MS })));
  return {
    url,
    sandboxUrl,
    people,
    metricsPorts,
    databases: [first, second],
    worker,
    control: (method, path, body) => callControl(sandboxUrl, method, path, body),
    ops: async (args, settingsOfCall) => {
      let output = '';
      const command = startNode(['ops/main.ts', ...args], {
        env: { PATH: process.env['PATH'], DATA_FOLDER: folder, USER: 'drill', ...settingsOfCall },
        onOutput: (chunk) => {
          output += chunk.toString();
        },
      });
      await command.ended;
      return output;
    },
  };
}

async function callControl(sandboxUrl: string, method: string, path: string, body: object): Promise<void> {
  const response = await fetch(`${sandboxUrl}/sandbox${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
}

/** Lets each user pay again and again, until the signal. Refusals are what the incidents cause. */
export async function payMeanwhile(
  { people }: Environment,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  const payAgain = async (person: Person, own: number): Promise<void> => {
    for (let count = 0; !signal.aborted; count += 1) {
      const pixKey = `shop-${own}-${count}@example.com`;
      await pay(person, 10 + (count % 80), { pixKey, pixKeyType: 'email' }).catch(() => undefined);
      await pause(BETWEEN_PAYMENTS_MS);
    }
  };
  await Promise.all(people.map(payAgain));
}
