// A local stack on one machine: an embedded database, the sandbox and the service, each in its own process.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Role } from '../../src/start/config.ts';
import { endOf } from '../database/database-server.ts';
import { isCluster, startEmbeddedDatabase, unfinishedFolder } from '../database/embedded-database.ts';
import { migrateDatabase } from '../database/query.ts';
import { reachableFolder } from '../database/reachable-postgres.ts';
import { ROOT, startNode } from '../processes/node-process.ts';
import { commandOf } from '../processes/process-command.ts';
import { startFlags } from '../processes/start-flags.ts';
import { type Caretaker, startCaretaker } from './caretaker.ts';
import { claimFolder } from './folder-claim.ts';
import { newSecrets, sandboxSettings } from './settings.ts';
import { writeWhole } from './whole-file.ts';

export type LocalStack = {
  url: string;
  sandboxUrl: string;
  databaseUrl: string;
  /** Resolves with the name of the part that ended unexpectedly. */
  broken: Promise<string>;
  stop: () => Promise<void>;
};

/** The stack's secrets are for one machine, so it listens only to this machine, unless LISTEN_HOST says otherwise. */
const HOST = process.env['LISTEN_HOST'] ?? '127.0.0.1';

/** The sandbox with the phone among its pages, and the settings that both sides need for it. */
export const sandboxWithPhone = (port: number, sandboxPort: number) => ({
  sandbox: { root: ROOT, entry: 'phone/main.ts' },
  env: {
    PHONE_API_URL: `http://localhost:${port}`,
    CORS_ORIGINS: `http://localhost:${sandboxPort},http://127.0.0.1:${sandboxPort}`,
  },
});

/** A program of this checkout or of another one. */
export type Program = { root: string; entry: string };
export type Service = Program & {
  /** Migrates an empty or earlier database to what this program needs. */
  prepare: (databaseUrl: string) => Promise<void>;
};

const ours: { service: Service; sandbox: Program } = {
  service: { root: ROOT, entry: 'src/start/serve.ts', prepare: migrateDatabase },
  sandbox: { root: ROOT, entry: 'sandbox/main.ts' },
};

export type StackOptions = {
  /** For data and secrets. It is created if it does not exist, and used again if it does. */
  folder: string;
  /** Whether the folder is removed at the end, even if the caller named it. */
  isTemporary?: boolean;
  port: number;
  sandboxPort: number;
  env?: NodeJS.ProcessEnv;
  /** One process of the service is started for each role. Without roles, a single process does everything. */
  roles?: Role[];
  /** Settings that differ in one of these processes. The database is already migrated when this is called. */
  envOf?: (role: Role, databaseUrl: string) => Promise<NodeJS.ProcessEnv>;
  databaseSettings?: Record<string, string>;
  onStep?: (step: string) => void;
  /** Receives what the service's processes write. Without it, this process writes it too. */
  onServiceOutput?: (chunk: Buffer) => void;
  /** A program to run instead of the service. */
  service?: Service;
  /** A program to run instead of the sandbox. */
  sandbox?: Program;
};

/** @throws if another stack uses the folder, or if a part does not start. Then nothing runs any more. */
export async function startLocalStack(options: StackOptions): Promise<LocalStack> {
  const url = `http://localhost:${options.port}`;
  const { claim, noteCaretaker, formerCaretaker } = claimFolder(options.folder, url);
  const databaseFolder = reachableFolder(join(options.folder, 'database'));
  const remove = [
    environmentFile(options.folder),
    unfinishedFolder(databaseFolder),
    ...(options.isTemporary ? [databaseFolder, options.folder] : []),
  ];
  const caretaker = startCaretaker({ claim, databaseFolder, remove });
  noteCaretaker(caretaker.pid);
  const running: { stop: () => Promise<void> }[] = [];
  const stopAll = async (): Promise<void> => {
    for (const part of running.toReversed()) await part.stop();
    // The caretaker leaves the claim, because another run may have replaced it. The claim of a process that has ended counts for nothing.
    for (const path of [...remove, claim.file]) rmSync(path, { recursive: true, force: true });
    caretaker.tell('dismissed');
  };
  let stopped: Promise<void> | null = null;
  const stop = (): Promise<void> => (stopped ??= stopAll());
  const keep = <Started extends { stop: () => Promise<void> }>(part: Started): Started => {
    running.push(part);
    return part;
  };
  try {
    if (formerCaretaker !== null) await endOfFormer(formerCaretaker, options.onStep);
    await Promise.all([assertPortIsFree(options.port), assertPortIsFree(options.sandboxPort)]);
    const started = await startParts({ ...options, url, databaseFolder }, caretaker, keep);
    caretaker.tell('started');
    return { url, ...started, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Starts the database and the sandbox, migrates the database, and starts the service. */
async function startParts(
  options: StackOptions & { url: string; databaseFolder: string },
  caretaker: Caretaker,
  keep: <Started extends { stop: () => Promise<void> }>(part: Started) => Started,
): Promise<Pick<LocalStack, 'sandboxUrl' | 'databaseUrl' | 'broken'>> {
  const { service, sandbox: provider, onStep = () => undefined } = { ...ours, ...options };
  const { url, databaseFolder } = options;
  const sandboxUrl = `http://localhost:${options.sandboxPort}`;
  onStep(isCluster(databaseFolder) ? 'starting the database' : 'creating the database');
  const [database, sandbox] = await bothOrFault(
    startEmbeddedDatabase({
      folder: databaseFolder,
      keep: true,
      settings: options.databaseSettings ?? {},
    }).then(keep),
    startPart(caretaker, 'sandbox', provider, {
      SANDBOX_PORT: String(options.sandboxPort),
      SANDBOX_HOST: HOST,
      SANDBOX_DATA: join(options.folder, 'sandbox'),
      SANDBOX_BASE_URL: sandboxUrl,
      ...options.env,
    }).then(keep),
  );
  onStep('migrating the database');
  await service.prepare(database.url);
  const env = {
    ...localSecrets(options.folder),
    ...sandboxSettings(sandboxUrl),
    PORT: String(options.port),
    LISTEN_HOST: HOST,
    // All clients on this machine have one address, which may have half of the connections.
    MAX_CONNECTIONS: '20000',
    PUBLIC_BASE_URL: url,
    // A return can be tried immediately instead of after a day.
    RETURN_AFTER_HOURS: '0',
    DATABASE_URL: database.url,
    LOG_LEVEL: 'warn',
    ...options.env,
  };
  onStep('starting the service');
  const services = [];
  for (const ROLE of options.roles ?? ['all']) {
    const own = { ...env, ...(await options.envOf?.(ROLE, database.url)), ROLE };
    services.push(keep(await startPart(caretaker, 'service', service, own, options.onServiceOutput)));
  }
  leaveEnvironment(environmentFile(options.folder), env);
  const broken = Promise.race([...services, sandbox].map(({ ended }) => ended));
  return { sandboxUrl, databaseUrl: database.url, broken };
}

/** While the stack runs, this file has the service's settings. */
const environmentFile = (folder: string): string => join(folder, 'stack.env');

/** The former caretaker waits at most 15 s for the service and 15 s for the database. */
const FORMER_ENDS_MS = 35_000;

/** Waits for the processes of a former run that was killed: they still have the ports and the database. */
async function endOfFormer(caretaker: number, onStep?: (step: string) => void): Promise<void> {
  if (commandOf(caretaker)?.includes('caretaker-main') !== true) return;
  onStep?.('waiting for the end of the former run');
  await endOf(caretaker, FORMER_ENDS_MS);
}

/** Resolves with both values. If one fails, waits for the other one before it rejects, so that the caller can stop what has started. */
async function bothOrFault<One, Other>(one: Promise<One>, other: Promise<Other>): Promise<[One, Other]> {
  await Promise.allSettled([one, other]);
  return Promise.all([one, other]);
}

/** The secrets are generated once, so that sealed and signed values stay valid after a restart. */
function localSecrets(folder: string): Record<string, string> {
  const file = join(folder, 'secrets.json');
  if (!existsSync(file)) {
    writeWhole(file, JSON.stringify(newSecrets('local'), null, 2));
  }
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
}

/** While the stack runs, `npm run ops` reads the service's settings from this file. It contains secrets. */
function leaveEnvironment(file: string, env: NodeJS.ProcessEnv): void {
  const lines = Object.entries(env).map(([name, value = '']) => `${name}="${value}"\n`);
  writeWhole(file, lines.join(''));
}

function assertPortIsFree(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', ({ code, message }: NodeJS.ErrnoException) =>
      reject(
        new Error(
          code === 'EADDRINUSE'
            ? `port ${port} is taken; choose others with PORT and SANDBOX_PORT`
            : `port ${port} cannot be opened at ${HOST} (${message}); see PORT, SANDBOX_PORT and LISTEN_HOST`,
        ),
      ),
    );
    probe.listen(port, HOST, () => probe.close(() => resolve()));
  });
}

type Part = { ended: Promise<string>; stop: () => Promise<void> };

async function startPart(
  caretaker: Caretaker,
  name: string,
  { root, entry }: Program,
  env: NodeJS.ProcessEnv,
  onOutput?: (chunk: Buffer) => void,
): Promise<Part> {
  const part = startNode([...startFlags(root), join(root, entry)], {
    root,
    env: { ...process.env, ...env },
    onOutput: (chunk, stream) => {
      if (onOutput) onOutput(chunk);
      else if (!chunk.includes(`${name} ready`)) process[stream].write(chunk);
    },
  });
  if (part.child.pid !== undefined) caretaker.tell(part.child.pid);
  await part.ready().catch(() => {
    throw new Error(`the ${name} did not start`);
  });
  return { ended: part.ended.then(() => name), stop: async () => void (await part.stop()) };
}
