// The processes of a run: the database, the provider, and the instances of the service.
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { type DatabaseProxy, startDatabaseProxy } from '../../scripts/database-proxy/database-proxy.ts';
import { freePort } from '../../scripts/free-port.ts';
import { sandboxSettings } from '../../scripts/local-stack.ts';
import { type Child, keepRunning, ROOT } from './child.ts';
import type { CrashableDatabase } from './database.ts';
import { type Journal, openJournal } from './journal.ts';
import { openPublicAddress } from './public-address.ts';

/** The database of a run: the address at which the auditor and the operator reach it. */
export type RunDatabase = { url: string };

export type Stack<Database extends RunDatabase = CrashableDatabase> = {
  folder: string;
  database: Database;
  sandbox: Child;
  sandboxUrl: string;
  sandboxData: string;
  instances: Child[];
  urls: string[];
  proxies: DatabaseProxy[];
  acknowledged: Journal;
  orders: Journal;
  shown: Journal;
  unordered: Journal;
  serviceFolder: string;
  /** Returns the token of a session that began an hour ago. Processes whose clocks are behind accept it as well. */
  olderSession: (userId: string) => Promise<string>;
  /** Makes the second instance quote two conversions instead of one, from its next start on. */
  turnTwoHopOn: () => void;
  isTwoHopOn: () => boolean;
  /** The environment of a service process, for running an operator's command next to the instances. */
  environment: () => NodeJS.ProcessEnv;
};

/** The time without a heartbeat after which an instance counts as dead. */
export const DEAD_AFTER_SECONDS = 3;

/** Every instance imports it from this project, even if the instance runs a mutated copy. */
const WRONG_CLOCK = new URL('wrong-clock.ts', import.meta.url).href;
const HOUR_SECONDS = 60 * 60;

/** Short enough for a short run, and long enough that processes are killed in between. */
const SANDBOX_PACE = { SANDBOX_SETTLE_MS: '150', SANDBOX_ACTIVATE_MS: '200', SANDBOX_SLOW_MS: '5000' };

export type StackOptions<Database extends RunDatabase> = {
  processes: number;
  startDatabase: (databaseFolder: string) => Promise<Database>;
  /** How far the clock of each instance is ahead, in milliseconds. A negative number is behind, 0 is the machine's clock. */
  clockAheadMs?: (index: number) => number;
  onStart?: (index: number) => void;
  /** The project whose service runs: this one, or a mutated copy. */
  serviceFolder?: string;
  /** Settings in which an instance differs from the others. */
  envOf?: (index: number) => NodeJS.ProcessEnv;
};

/** @param atEnd registers the function that stops each part, as soon as it is started. */
export async function startStack<Database extends RunDatabase>(
  folder: string,
  {
    processes,
    startDatabase,
    clockAheadMs = () => 0,
    onStart = () => undefined,
    serviceFolder = ROOT,
    envOf = () => ({}),
  }: StackOptions<Database>,
  atEnd: (stop: () => Promise<void>) => void,
): Promise<Stack<Database>> {
  const logs = join(folder, 'logs');
  mkdirSync(logs);
  const database = await startDatabase(join(folder, 'database'));
  const sandboxPort = await freePort();
  const ports = await Promise.all(Array.from({ length: processes }, freePort));
  const sandboxUrl = `http://127.0.0.1:${sandboxPort}`;
  const sandboxData = join(folder, 'sandbox');
  const sandbox = keepRunning(
    'sandbox/main.ts',
    () => ({
      SANDBOX_PORT: String(sandboxPort),
      SANDBOX_DATA: sandboxData,
      SANDBOX_BASE_URL: sandboxUrl,
      ...SANDBOX_PACE,
    }),
    join(logs, 'sandbox.log'),
  );
  atEnd(sandbox.end);

  const urls = ports.map((port) => `http://127.0.0.1:${port}`);
  const proxies = await Promise.all(ports.map(() => startDatabaseProxy(database.url)));
  for (const proxy of proxies) atEnd(proxy.close);
  const acknowledged = openJournal(join(folder, 'acknowledged.jsonl'));
  const orders = openJournal(join(folder, 'orders.jsonl'));
  const shown = openJournal(join(folder, 'shown.jsonl'));
  const unordered = openJournal(join(folder, 'unordered.jsonl'));
  const address = await openPublicAddress(() => urls, acknowledged);
  atEnd(address.stop);
  const sessionSecret = randomBytes(32).toString('base64url');
  const common: NodeJS.ProcessEnv = {
    ...sandboxSettings(sandboxUrl),
    PUBLIC_BASE_URL: address.url,
    DATABASE_URL: database.url,
    PROCESS_DEAD_AFTER_SECONDS: String(DEAD_AFTER_SECONDS),
    SESSION_SECRET: sessionSecret,
    PII_ENCRYPTION_KEY: `chaos:${randomBytes(32).toString('base64')}`,
    WEBHOOK_SECRET: randomBytes(32).toString('base64url'),
    PROVIDER_TIMEOUT_MS: '2000',
    LOG_LEVEL: 'warn',
  };
  let isTwoHopOn = false;
  const environmentOf = (port: number, index: number): NodeJS.ProcessEnv => {
    onStart(index);
    return {
      ...common,
      DATABASE_URL: proxies[index]?.url,
      PORT: String(port),
      USDC_ACCOUNTS_ENABLED: String(index === 1 && isTwoHopOn),
      WRONG_CLOCK_MS: String(clockAheadMs(index)),
      ...envOf(index),
    };
  };
  const instances = ports.map((port, index) =>
    keepRunning(
      'src/start/serve.ts',
      () => environmentOf(port, index),
      join(logs, `instance-${index + 1}.log`),
      {
        folder: serviceFolder,
        preload: clockAheadMs(index) === 0 ? [] : [WRONG_CLOCK],
      },
    ),
  );
  for (const instance of instances) atEnd(instance.end);
  await Promise.all([sandbox, ...instances].map((child) => child.ready()));
  return {
    folder,
    database,
    sandbox,
    sandboxUrl,
    sandboxData,
    instances,
    urls,
    proxies,
    acknowledged,
    orders,
    shown,
    unordered,
    serviceFolder,
    olderSession: (userId) => sessionSince(HOUR_SECONDS, userId, sessionSecret),
    turnTwoHopOn: () => (isTwoHopOn = true),
    isTwoHopOn: () => isTwoHopOn,
    environment: () => ({ ...common, PORT: '0' }),
  };
}

/** A session token that was issued `agoSeconds` ago, signed as the service signs it. */
const sessionSince = (agoSeconds: number, userId: string, secret: string): Promise<string> => {
  const now = Math.floor(Date.now() / 1_000);
  return new SignJWT()
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setSubject(userId)
    .setIssuedAt(now - agoSeconds)
    .setExpirationTime(now + 24 * HOUR_SECONDS)
    .sign(new TextEncoder().encode(secret));
};
