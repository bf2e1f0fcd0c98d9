// The processes of a run: the database, the provider, and the instances of the service.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { type DatabaseProxy, startDatabaseProxy } from '../../harness/database-proxy/database-proxy.ts';
import { freePort } from '../../harness/processes/free-port.ts';
import { type KeptProcess, keepRunning } from '../../harness/processes/kept-process.ts';
import { ROOT } from '../../harness/processes/node-process.ts';
import { newSecrets, sandboxSettings } from '../../harness/stack/settings.ts';
import type { AtEnd } from '../run-in-folder.ts';
import type { CrashableDatabase } from './database.ts';
import { type Journal, openJournal } from './journal.ts';
import { openPublicAddress } from './public-address.ts';

/** The database of a run: the address at which the auditor and the operator reach it. */
export type RunDatabase = { url: string };

/** What apps and the provider were told, for the auditor. */
export type Journals = { acknowledged: Journal; orders: Journal; shown: Journal; unordered: Journal };

export type SandboxProcess = { sandbox: KeptProcess; sandboxUrl: string; sandboxData: string };

export type Stack<Database extends RunDatabase = CrashableDatabase> = Journals &
  SandboxProcess & {
    folder: string;
    database: Database;
    instances: KeptProcess[];
    urls: string[];
    proxies: DatabaseProxy[];
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
  /** Settings of every instance and of the operator's commands. */
  settings?: NodeJS.ProcessEnv;
  /** Settings in which an instance differs from the others. */
  envOf?: (index: number) => NodeJS.ProcessEnv;
};

/** @param atEnd registers the function that stops each part, as soon as it is started. */
export async function startStack<Database extends RunDatabase>(
  folder: string,
  options: StackOptions<Database>,
  atEnd: AtEnd,
): Promise<Stack<Database>> {
  const { processes, startDatabase, settings = {}, serviceFolder = ROOT } = options;
  mkdirSync(logsIn(folder));
  const database = await startDatabase(join(folder, 'database'));
  const provider = await startSandboxProcess(folder, atEnd);
  const ports = await Promise.all(Array.from({ length: processes }, freePort));
  const urls = ports.map((port) => `http://127.0.0.1:${port}`);
  const proxies = await Promise.all(ports.map(() => startDatabaseProxy(database.url)));
  for (const proxy of proxies) atEnd(proxy.close);
  const journals = journalsIn(folder);
  const address = await openPublicAddress(() => urls, journals.acknowledged);
  atEnd(address.stop);
  const common = {
    ...sandboxSettings(provider.sandboxUrl),
    ...newSecrets('chaos'),
    PUBLIC_BASE_URL: address.url,
    DATABASE_URL: database.url,
    PROCESS_DEAD_AFTER_SECONDS: String(DEAD_AFTER_SECONDS),
    PROVIDER_TIMEOUT_MS: '2000',
    LOG_LEVEL: 'warn',
    ...settings,
  };
  let isTwoHopOn = false;
  const environmentOf = (port: number, index: number): NodeJS.ProcessEnv => ({
    ...common,
    DATABASE_URL: proxies[index]?.url,
    PORT: String(port),
    USDC_ACCOUNTS_ENABLED: String(index === 1 && isTwoHopOn),
  });
  const instances = ports.map((port, index) =>
    keepInstance(folder, index, () => environmentOf(port, index), options),
  );
  for (const instance of instances) atEnd(instance.end);
  await Promise.all([provider.sandbox, ...instances].map((child) => child.ready()));
  return {
    folder,
    database,
    ...provider,
    instances,
    urls,
    proxies,
    ...journals,
    serviceFolder,
    olderSession: (userId) => sessionSince(HOUR_SECONDS, userId, common.SESSION_SECRET),
    turnTwoHopOn: () => (isTwoHopOn = true),
    isTwoHopOn: () => isTwoHopOn,
    environment: () => ({ ...common, PORT: '0' }),
  };
}

/** Starts the sandbox as a process that is started again whenever it ends. Its data are in the folder. */
export async function startSandboxProcess(folder: string, atEnd: AtEnd): Promise<SandboxProcess> {
  const port = String(await freePort());
  const sandboxUrl = `http://127.0.0.1:${port}`;
  const sandboxData = join(folder, 'sandbox');
  const sandbox = keepRunning(
    'sandbox/main.ts',
    () => ({
      SANDBOX_PORT: port,
      SANDBOX_DATA: sandboxData,
      SANDBOX_BASE_URL: sandboxUrl,
      ...SANDBOX_PACE,
    }),
    join(logsIn(folder), 'sandbox.log'),
  );
  atEnd(sandbox.end);
  return { sandbox, sandboxUrl, sandboxData };
}

function keepInstance<Database extends RunDatabase>(
  folder: string,
  index: number,
  environment: () => NodeJS.ProcessEnv,
  {
    serviceFolder = ROOT,
    clockAheadMs = () => 0,
    onStart = () => undefined,
    envOf = () => ({}),
  }: StackOptions<Database>,
): KeptProcess {
  const aheadMs = clockAheadMs(index);
  const environmentNow = (): NodeJS.ProcessEnv => {
    onStart(index);
    return { ...environment(), WRONG_CLOCK_MS: String(aheadMs), ...envOf(index) };
  };
  return keepRunning('src/start/serve.ts', environmentNow, logOf(folder, index), {
    folder: serviceFolder,
    preload: aheadMs === 0 ? [] : [WRONG_CLOCK],
  });
}

/** The folder of the processes' output. */
export const logsIn = (folder: string): string => join(folder, 'logs');

/** The file with the output of an instance. */
export const logOf = (folder: string, index: number): string =>
  join(logsIn(folder), `instance-${index + 1}.log`);

/** Opens the journals of a run in its folder. */
export const journalsIn = (folder: string): Journals => ({
  acknowledged: openJournal(join(folder, 'acknowledged.jsonl')),
  orders: openJournal(join(folder, 'orders.jsonl')),
  shown: openJournal(join(folder, 'shown.jsonl')),
  unordered: openJournal(join(folder, 'unordered.jsonl')),
});

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
