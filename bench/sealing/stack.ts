// A database with sealed and unsealed users, and the process that serves them.
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Pool } from 'undici';
import { startEmbeddedDatabase } from '../../scripts/embedded-database.ts';
import { sandboxSettings } from '../../scripts/local-stack.ts';
import { systemClock } from '../../src/domain/clock.ts';
import { noDeadlines } from '../../src/platform/database/deadlines.ts';
import { createOrm, dbOf, type Orm } from '../../src/platform/database/orm.ts';
import { createPool } from '../../src/platform/database/pool.ts';
import { migrate } from '../../src/platform/database/schema.ts';
import type { MasterKey } from '../../src/platform/security/data-keys.ts';
import { createDataKeys } from '../../src/platform/security/data-keys.ts';
import { createSealer } from '../../src/platform/security/sealer.ts';
import { createSessionTokens } from '../../src/platform/security/session-token.ts';
import { readConfig } from '../../src/start/config.ts';
import { startServerProcess } from '../server-process.ts';
import { fill, makePeople } from './people.ts';
import { notSealing, type Variant } from './variants.ts';

export type Stack = {
  orm: Orm;
  service: ChildProcess;
  api: Pool;
  /** The session tokens of the users, by group. */
  tokens: Record<Variant, string[]>;
  /** The master key that wraps every data key. A second one is configured after it. */
  master: MasterKey;
  /** An operator's environment, in which the second master key comes first. */
  opsEnv: NodeJS.ProcessEnv;
  stop: () => Promise<void>;
};

/**
 * @param people the number of users.
 * @param currencies in how many currencies they have bank details.
 * @param connections the number of the client's connections.
 */
export async function startStack(people: number, currencies: number, connections: number): Promise<Stack> {
  const folder = mkdtempSync(path.join(tmpdir(), 'ponte-bench-'));
  chmodSync(folder, 0o755);
  const stops: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  const stop = async (): Promise<void> => {
    for (const one of stops.toReversed()) await one();
  };
  try {
    const database = await startEmbeddedDatabase({ folder: path.join(folder, 'database'), keep: false });
    stops.push(database.stop);
    const [former, fresh] = ['former', 'fresh'].map((id) => `${id}:${randomBytes(32).toString('base64')}`);
    const env = {
      // No server listens at this address, and no request is sent to it.
      ...sandboxSettings('http://127.0.0.1:9'),
      PUBLIC_BASE_URL: 'http://127.0.0.1:9',
      DATABASE_URL: database.url,
      SESSION_SECRET: randomBytes(32).toString('base64url'),
      WEBHOOK_SECRET: randomBytes(32).toString('base64url'),
      PII_ENCRYPTION_KEY: `${former},${fresh}`,
    };
    const { masterKeys, session } = readConfig(env);
    const [master] = masterKeys;
    if (!master) throw new Error('no master key');
    const orm = await openDatabase(env.DATABASE_URL);
    stops.push(() => orm.close(true));
    const db = dbOf(orm);
    const made = makePeople(people, currencies);
    const sealing = createSealer(createDataKeys(db, masterKeys));
    await fill(db, (variant) => (variant === 'off' ? notSealing : sealing), made, new Date());
    const sessions = await createSessionTokens(session, systemClock);
    const tokens: Stack['tokens'] = { off: [], on: [], anew: [], cold: [] };
    for (const { id, variant } of made) tokens[variant].push(await sessions.issue(id));
    const VARIANTS = JSON.stringify(made.map(({ id, variant }) => [id, variant]));
    const service = await startServerProcess(path.join(import.meta.dirname, 'service.ts'), {
      ...env,
      VARIANTS,
    });
    stops.push(service.stop);
    const api = client(service.url, connections);
    stops.push(() => api.destroy());
    const opsEnv = { ...process.env, ...env, PII_ENCRYPTION_KEY: `${fresh},${former}` };
    return { orm, service: service.child, api, tokens, master, opsEnv, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function openDatabase(url: string): Promise<Orm> {
  const pool = createPool(url, 4, noDeadlines);
  const orm = await createOrm(pool);
  await migrate(orm);
  return orm;
}

/** Idle connections are closed here long before the service closes them. Otherwise the two would race on a slow machine. */
const client = (url: string, connections: number): Pool =>
  new Pool(url, { connections, keepAliveTimeout: 2_000, keepAliveMaxTimeout: 2_000 });
