// What every process works with, put together: the database, the provider, keys and tokens. The service and the
// operators' command line both begin here.
import { Kysely } from 'kysely';
import type { App } from './app.ts';
import { createTrail } from './audit/trail.ts';
import { createIdTokens } from './auth/id-token.ts';
import { createSessionTokens } from './auth/session-token.ts';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import { createDialect } from './database/dialect.ts';
import { createOrm, type Db } from './database/orm.ts';
import { createPool } from './database/pool.ts';
import { assertSchemaIsCurrent } from './database/schema.ts';
import type { Tables } from './entities/index.ts';
import type { Log } from './log.ts';
import { createCircuitNotice } from './metrics/circuit-notice.ts';
import { createMetrics } from './metrics/metrics.ts';
import { createProvider } from './provider/client.ts';
import { createDataKeys } from './sealing/data-keys.ts';
import { createSealer } from './sealing/sealer.ts';
import { callbackUrl, createAcceptedSecrets } from './webhooks/secrets.ts';
import { createCallbackStore } from './webhooks/store.ts';
import { pathSecretVerifier } from './webhooks/verify.ts';

/**
 * @returns the app, and how to let go of the database once the provider is closed and nothing is under way.
 * @throws when the database cannot be reached or its schema is older than this code.
 */
export async function createApp(
  config: Config,
  { log, clock }: { log: Log; clock: Clock },
): Promise<{ app: App; closeDatabase: () => Promise<void> }> {
  const pool = createPool(config.databaseUrl, config.databasePoolSize);
  const orm = await createOrm(pool);
  await assertSchemaIsCurrent(orm, pool).catch(async (error: unknown) => {
    await orm.close(true);
    throw error;
  });
  const db: Db = orm.em.getKysely();
  const replica = config.databaseReplicaUrl === undefined ? db : replicaOf(config.databaseReplicaUrl, config);
  const metrics = createMetrics();
  const notice = createCircuitNotice({ db, log, clock });
  const trail = createTrail({ db, clock, log });
  const app: App = {
    config,
    clock,
    log,
    db,
    replica,
    provider: createProvider({
      ...config.provider,
      callbackUrl: callbackUrl(config.publicBaseUrl, config.webhookSecret),
      watch: { called: metrics.called, opened: notice.opened, closed: notice.closed },
    }),
    sealer: createSealer(createDataKeys(db, config.masterKeys)),
    idTokens: createIdTokens(config.identity, clock),
    sessions: await createSessionTokens(config.session, clock),
    webhookVerifier: pathSecretVerifier(config.webhookSecret, createAcceptedSecrets(db, clock)),
    metrics,
    storeCallback: createCallbackStore(db),
    trail,
  };
  const closeDatabase = async (): Promise<void> => {
    await notice.stop();
    await trail.stop();
    if (replica !== db) await replica.destroy();
    await orm.close(true);
  };
  return { app, closeDatabase };
}

const replicaOf = (url: string, config: Config): Db =>
  new Kysely<Tables>({ dialect: createDialect(createPool(url, config.databasePoolSize)) });
