// One database, a provider with one fixed answer, and three servers that answer the same five requests.
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { sql } from 'kysely';
import { Pool } from 'undici';
import { startEmbeddedDatabase } from '../../scripts/embedded-database.ts';
import { sandboxSettings } from '../../scripts/local-stack.ts';
import { noDeadlines } from '../../src/platform/database/deadlines.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { createDataKeys } from '../../src/security/data-keys.ts';
import { createSealer } from '../../src/security/sealer.ts';
import { createSessionTokens } from '../../src/security/session-token.ts';
import { readConfig } from '../../src/start/config.ts';
import { createOrm, type Db, dbOf } from '../../src/tables/orm.ts';
import { migrate } from '../../src/tables/schema/schema.ts';
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

export async function startStack(options: {
  people: number;
  rows: number;
  atOnce: number;
  /** Another checkout, whose service replaces the Fastify reference. */
  against: string | undefined;
  /** Whether PostgreSQL uses generic plans for the references, as it does for the service. */
  genericPlans: boolean;
}): Promise<Stack> {
  const folder = mkdtempSync(join(tmpdir(), 'ponte-bench-'));
  chmodSync(folder, 0o755);
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
      PUBLIC_BASE_URL: 'http://127.0.0.1:9',
      DATABASE_URL: database.url,
      SESSION_SECRET: randomBytes(32).toString('base64url'),
      WEBHOOK_SECRET: randomBytes(32).toString('base64url'),
      PII_ENCRYPTION_KEY: `bench:${randomBytes(32).toString('base64')}`,
      STANDING_AT: String(standingAt.getTime()),
    };
    const { masterKeys, session } = readConfig(env);
    const pool = createPool(database.url, 4, noDeadlines);
    const orm = await createOrm(pool);
    await migrate(orm);
    stops.push(() => orm.close(true));
    const db = dbOf(orm);
    await pauseConversions(db);
    const sealer = createSealer(createDataKeys(db, masterKeys));
    const payers = await makePayers(db, sealer, { ...options, at: standingAt });
    const sessions = await createSessionTokens(session, { now: () => standingAt });
    const tokens = new Map<string, string>();
    for (const { id } of payers) tokens.set(id, await sessions.issue(id));
    const { service, express, fastify } = entries;
    const files: [Contender, string][] = [
      ['service', service],
      ['express', express],
      options.against === undefined
        ? ['fastify', fastify]
        : ['former', resolve(options.against, 'bench/requests/service.ts')],
    ];
    const servers: Stack['servers'] = new Map();
    for (const [name, file] of files) {
      const isReference = name === 'express' || name === 'fastify';
      const plans = isReference && options.genericPlans ? GENERIC_PLANS : '';
      const server = await startServerProcess(resolve(import.meta.dirname, file), {
        ...env,
        // The server's connections are identified by this name.
        DATABASE_URL: `${database.url}?application_name=${name}${plans}`,
      });
      stops.push(server.stop);
      const client = new Pool(server.url, { connections: options.atOnce, keepAliveTimeout: 2_000 });
      stops.push(() => client.destroy());
      servers.set(name, { ...server, client });
    }
    return {
      db,
      contenders: [...servers.keys()],
      servers,
      payers,
      tokens,
      webhookSecret: env.WEBHOOK_SECRET,
      standingAt,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Pauses the effects that begin conversions, because no process runs them here. Unpaused waiting effects would make the service
 * refuse payments.
 */
const pauseConversions = (db: Db): Promise<unknown> =>
  sql`insert into effect_pauses (type, reason, operator, paused_at)
    values ('startConversion', 'requests alone are measured', 'bench', now())`.execute(db);
