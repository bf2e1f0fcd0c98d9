// The service that an incident hits: two processes, the sandbox, and a database that each process reaches through a proxy. Users pay
// all the time. It is healed after an incident and serves the next one.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseEnv } from 'node:util';
import { query } from '../../harness/database/query.ts';
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
const BETWEEN_PAYMENTS_MS = 1_000;
const START_WITHIN_MS = 240_000;
const POLLED_EVERY_MS = 50;

/** An operator has dealt with what the incident left. */
const HEALED = `
  update discrepancies set resolved_at = now(), resolution = 'the drill has ended' where resolved_at is null;
  update list_findings set resolved_at = now(), resolution = 'the drill has ended' where resolved_at is null;
  update pix_payments set acknowledged_at = now() where state = 'manual_review' and acknowledged_at is null;
  update provider_cursors set planned_to = now() where planned_to > now();
  update data_requests set due_at = now() + interval '30 days';
  delete from effect_pauses;
  delete from job_runs where finished_at is not null`;

export type Environment = {
  /** For files of this incident. */
  folder: string;
  url: string;
  sandboxUrl: string;
  /** Users with an account and money. */
  people: Person[];
  /** The settings that both processes have. */
  settings: NodeJS.Dict<string>;
  /** The first process, which also serves the API, and a second worker. A process starts again whenever it is killed. */
  processes: [first: KeptProcess, second: KeptProcess];
  metricsPorts: [first: number, second: number];
  /** The connections of each process to the database. Operators have those of the first one. */
  databases: [first: DatabaseProxy, second: DatabaseProxy];
  /** Restarts both processes with other settings. @param second those of the second process, if they differ. */
  reconfigure: (env: NodeJS.ProcessEnv, second?: NodeJS.ProcessEnv) => Promise<void>;
  /** Removes the faults, and starts again what does not run as it should. */
  heal: () => Promise<void>;
  /** Runs a statement as the database's owner. */
  sql: (text: string) => Promise<object[]>;
  /** Calls a control of the sandbox. */
  control: (method: 'PUT' | 'POST', path: string, body: object) => Promise<void>;
  /** Runs the operators' command line. */
  ops: (args: string[], env?: NodeJS.ProcessEnv) => Promise<string>;
};

export async function startEnvironment(folder: string, atEnd: AtEnd): Promise<Environment> {
  const metricsPorts: [number, number] = [await freePort(), await freePort()];
  const [port, sandboxPort] = [await freePort(), await freePort()];
  const stack = await startTemporaryStack(folder, {
    port,
    sandboxPort,
    roles: [],
    env: { LOG_LEVEL: 'silent' },
  });
  const { url, sandboxUrl, databaseUrl } = stack;
  const databases: Environment['databases'] = [
    await startDatabaseProxy(databaseUrl),
    await startDatabaseProxy(databaseUrl),
  ];
  atEnd(async () => {
    await stack.stop();
    for (const proxy of databases) await proxy.close();
  });
  const settings = parseEnv(readFileSync(join(folder, 'stack.env'), 'utf8'));
  let changed: [first: NodeJS.ProcessEnv, second: NodeJS.ProcessEnv] = [{}, {}];
  // An incident may let the second process serve the API as well.
  const ports = [port, await freePort()] as const;
  const start = (index: 0 | 1, ROLE: string): KeptProcess => {
    const own = {
      DATABASE_URL: databases[index].url,
      PORT: String(ports[index]),
      METRICS_PORT: String(metricsPorts[index]),
    };
    return keepRunning(
      'src/start/serve.ts',
      () => ({ ...settings, ...own, ROLE, ...changed[index] }),
      join(folder, `${index}.log`),
    );
  };
  const processes: Environment['processes'] = [start(0, 'all'), start(1, 'worker')];
  for (const one of processes) atEnd(() => one.end());
  for (const one of processes) await one.ready();
  const reconfigure: Environment['reconfigure'] = async (env, second = env) => {
    changed = [env, second];
    for (const one of processes) {
      const pid = one.current()?.pid;
      one.kill();
      while (one.current()?.pid === pid) await pause(POLLED_EVERY_MS);
    }
    for (const one of processes) await one.ready();
  };
  const people = Array.from({ length: USERS }, () => createPerson({ url, sandboxUrl }));
  await Promise.all(people.map((person) => joins(person, DEPOSIT, { withinMs: START_WITHIN_MS })));
  return {
    folder,
    url,
    sandboxUrl,
    people,
    settings,
    processes,
    metricsPorts,
    databases,
    reconfigure,
    heal: async () => {
      await callControl(sandboxUrl, 'DELETE', '/fault-injection', {});
      await query(databaseUrl, HEALED);
      for (const one of processes) one.start();
      if (changed.some((env) => Object.keys(env).length > 0)) await reconfigure({});
      for (const one of processes) await one.ready();
    },
    sql: (text) => query(databaseUrl, text),
    control: (method, path, body) => callControl(sandboxUrl, method, path, body),
    ops: async (args, settingsOfCall) => {
      let output = '';
      const command = startNode(['ops/main.ts', ...args], {
        env: {
          PATH: process.env['PATH'],
          ...settings,
          DATABASE_URL: databases[0].url,
          USER: 'drill',
          ...settingsOfCall,
        },
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
