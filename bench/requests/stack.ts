// One database, a provider with one fixed answer, and three servers that answer the same five requests.
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { sql } from 'kysely';
import { Pool } from 'undici';
import { startEmbeddedDatabase } from '../../harness/database/embedded-database.ts';
import { migrateDatabase } from '../../harness/database/query.ts';
import { newSecrets, sandboxSettings } from '../../harness/stack/settings.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { noDeadlines } from '../../src/platform/database/deadlines.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { createDataKeys } from '../../src/security/data-keys.ts';
import { createSealer } from '../../src/security/sealer.ts';
import { createSessionTokens } from '../../src/security/session-token.ts';
import { readConfig } from '../../src/start/config.ts';
import { createOrm, type Db, dbOf } from '../../src/tables/orm.ts';
import { type ServerProcess, startServerProcess } from '../server-process.ts';
import { makePayers, type Payer } from './people.ts';
import { startUpstream } from './upstream.ts';

/** `former` is the service of another checkout. */
export type Contender = 'service' | 'express' | 'fastify' | 'former';

export type Stack = {
  db: Db;
  contenders: Contender[];
  servers: Map<Contender, ServerProcess & { client: Pool }>;
  payers: Payer[];
  /** The session tokens of the service's users, by user id. */
  tokens: Map<string, string>;
  webhookSecret: string;
  standingAt: Date;
  stop: () => Promise<void>;
};

const entries = {
  service: 'service.ts',
  express: '../reference/express.ts',
  fastify: '../reference/fastify.ts',
};

/** The part of a reference's database address that asks for generic plans. The service's own pool asks for them. */
const GENERIC_PLANS = `&options=${encodeURIComponent('-c plan_cache_mode=force_generic_plan')}`;

export type StackOptions = {
  people: number;
  rows: number;
  atOnce: number;
  /** Another checkout, whose service replaces the Fastify reference. */
  against: string | undefined;
  /** Whether PostgreSQL uses generic plans for the references, as it does for the service. */
  genericPlans: boolean;
};

export async function startStack(options: StackOptions): Promise<Stack> {
  const folder = temporaryFolder('bench');
  const stops: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  const stop = async (): Promise<void> => {
    for (const one of stops.toReversed()) await one();
  };
  try {
    // The database is durable: commits wait for the disk, as in production.
    const database = await startEmbeddedDatabase({
      folder: join(folder, 'database'),
      keep: true,
      settings: { max_wal_size: '4GB' },
    });
    stops.push(database.stop);
    const upstream = await startUpstream();
    stops.push(upstream.stop);
    const standingAt = new Date();
    const env = {
      ...sandboxSettings(upstream.url),
      ...newSecrets('bench'),
      PUBLIC_BASE_URL: 'http://127.0.0.1:9',
      DATABASE_URL: database.url,
      STANDING_AT: String(standingAt.getTime()),
    };
    await migrateDatabase(database.url);
    const orm = await createOrm(createPool(database.url, 4, noDeadlines));
    stops.push(() => orm.close(true));
    const db = dbOf(orm);
    const filled = await fill(db, env, options, standingAt);
    const servers = await startServers(env, options, (one) => stops.push(one));
    const contenders = [...servers.keys()];
    return { db, contenders, servers, ...filled, webhookSecret: env.WEBHOOK_SECRET, standingAt, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Fills the tables. @returns the payers, and the session tokens of all of them. */
async function fill(
  db: Db,
  env: NodeJS.ProcessEnv,
  options: StackOptions,
  at: Date,
): Promise<Pick<Stack, 'payers' | 'tokens'>> {
  const { masterKeys, session } = readConfig(env);
  await pauseConversions(db);
  const sealer = createSealer(createDataKeys(db, masterKeys));
  const payers = await makePayers(db, sealer, { ...options, at });
  const sessions = await createSessionTokens(session, { now: () => at });
  const tokens = new Map<string, string>();
  for (const { id } of payers) tokens.set(id, await sessions.issue(id));
  return { payers, tokens };
}

async function startServers(
  env: NodeJS.ProcessEnv,
  { atOnce, against, genericPlans }: StackOptions,
  atEnd: (stop: () => unknown) => void,
): Promise<Stack['servers']> {
  const { service, express, fastify } = entries;
  const files: [Contender, string][] = [
    ['service', service],
    ['express', express],
    against === undefined ? ['fastify', fastify] : ['former', resolve(against, 'bench/requests/service.ts')],
  ];
  const servers: Stack['servers'] = new Map();
  for (const [name, file] of files) {
    const isReference = name === 'express' || name === 'fastify';
    const plans = isReference && genericPlans ? GENERIC_PLANS : '';
    const server = await startServerProcess(resolve(import.meta.dirname, file), {
      ...env,
      // The server's connections are identified by this name.
      DATABASE_URL: `${env['DATABASE_URL']}?application_name=${name}${plans}`,
    });
    atEnd(server.stop);
    const client = new Pool(server.url, { connections: atOnce, keepAliveTimeout: 2_000 });
    atEnd(() => client.destroy());
    servers.set(name, { ...server, client });
  }
  return servers;
}

/**
 * Pauses the effects that begin conversions, because no process runs them here. Unpaused waiting effects would make the service
 * refuse payments.
 */
const pauseConversions = (db: Db): Promise<unknown> =>
  sql`insert into effect_pauses (type, reason, operator, paused_at)
    values ('startConversion', 'requests alone are measured', 'bench', now())`.execute(db);
