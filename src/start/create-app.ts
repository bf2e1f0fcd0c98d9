// Creates the dependencies of every process: the database, the provider, keys and tokens. The service and the
// operators' command line both start here.
import type { Pool } from 'pg';
import { createAuditLog } from '../audit/log.ts';
import type { Clock } from '../domain/clock.ts';
import type { Log } from '../domain/log.ts';
import { createCircuitNotice } from '../metrics/circuit-notice.ts';
import { createMetrics, type Metrics, type PoolName } from '../metrics/metrics.ts';
import { addProviderGauges } from '../metrics/provider-gauges.ts';
import { createOutbox } from '../outbox/hand-off.ts';
import { createOverload } from '../outbox/overload.ts';
import { readPaymentWaits } from '../outbox/payment-waits.ts';
import { createTakenUntil } from '../outbox/taken-until.ts';
import { watchEventLoop } from '../platform/concurrency/event-loop.ts';
import { settledWithin } from '../platform/concurrency/settled-within.ts';
import { createAgeOf, type DatabaseClock, systemDatabaseClock } from '../platform/database/database-time.ts';
import { batchDeadlines, type Deadlines, servingDeadlines } from '../platform/database/deadlines.ts';
import { createGroupCommit } from '../platform/database/group-commit.ts';
import { createPool, observedPool } from '../platform/database/pool.ts';
import { createNameChecks } from '../provider/check-name.ts';
import { createPayoutChecks } from '../provider/check-payout.ts';
import { connectProvider } from '../provider/client.ts';
import { createDataKeys, type DataKeys } from '../security/data-keys.ts';
import { createIdTokens } from '../security/id-token.ts';
import { createPlaintextCache } from '../security/plaintext-cache.ts';
import { createSealer } from '../security/sealer.ts';
import { createSessionTokens } from '../security/session-token.ts';
import { createOrm, type Db, dbOf, dbOver } from '../tables/orm.ts';
import { assertDistributed } from '../tables/schema/distribute.ts';
import { assertSchemaFits } from '../tables/schema/schema.ts';
import { watchArrivals } from '../webhooks/arrivals.ts';
import { callbackUrl, createAcceptedSecrets } from '../webhooks/secrets.ts';
import { createCallbackStore } from '../webhooks/store.ts';
import { createUnownedTurns } from '../webhooks/unowned.ts';
import { createAcceptsSecret, pathSecretVerifier } from '../webhooks/verify.ts';
import type { App } from './app.ts';
import type { Config } from './config.ts';
import { buildOf, version } from './version.ts';

/**
 * The size of the pool for nightly jobs. A page of a job works on five items concurrently, and four jobs may run.
 * Connections are opened on demand.
 */
const BATCH_CONNECTIONS = 10;

/** The size of the erasure pool: one connection for each user that a page erases concurrently. */
const ERASURE_CONNECTIONS = 5;

/** From this use of the event loop, callbacks wait for this process. At rates that it holds, less is used. */
const SATURATED_FROM = 0.95;

/** How long closing waits for connections. A connection that is never released must not keep a process from stopping in time. */
const CLOSE_WITHIN_MS = 8_000;

/** The interval between checks for destroyed data keys. After an erasure, every process drops the key within this time. */
const KEYS_CHECKED_EVERY_MS = 60_000;

type AppOptions = {
  log: Log;
  clock: Clock;
  databaseClock?: DatabaseClock;
  deadlines?: Deadlines;
  keysCheckedEveryMs?: number;
};

/**
 * Creates the app.
 * @param deadlines the database deadlines, for programs other than the service.
 * @returns the app, and a function that closes the database. Call it after the provider is closed and no call is in flight.
 * @throws Error if the database cannot be reached or its schema does not fit this version.
 */
export async function createApp(
  config: Config,
  {
    log,
    clock,
    databaseClock = systemDatabaseClock,
    deadlines = servingDeadlines,
    keysCheckedEveryMs = KEYS_CHECKED_EVERY_MS,
  }: AppOptions,
): Promise<{ app: App; closeDatabase: () => Promise<void> }> {
  const metrics = createMetrics(buildOf(config));
  const { close: closePools, ...databases } = await openDatabases(config, deadlines, metrics);
  const { db } = databases;
  const outbox = createOutbox(metrics.reached);
  const notice = createCircuitNotice({ db, log, clock });
  const auditLog = createAuditLog({ db, clock, log });
  const providerConnection = connectProvider({
    ...config.provider,
    callbackUrl: callbackUrl(config.publicBaseUrl, config.webhookSecret),
    observer: { called: metrics.called, opened: notice.opened, closed: notice.closed },
  });
  addProviderGauges(metrics, () => providerConnection.state());
  const acceptsWebhookSecret = createAcceptsSecret(config.webhookSecret, createAcceptedSecrets(db, clock));
  const dataKeys = createDataKeys(db, config.masterKeys, clock);
  const keyCheck = setInterval(() => void forgetDestroyedKeys(dataKeys, log), keysCheckedEveryMs).unref();
  const takenUntil = createTakenUntil();
  const unownedTurns = createUnownedTurns();
  const arrivals = watchArrivals(watchEventLoop(SATURATED_FROM));
  const app: App = {
    config,
    clock,
    databaseClock,
    ageOf: createAgeOf(db),
    log,
    ...databases,
    groupCommit: createGroupCommit(db, config.decisionsPerCommit),
    outbox,
    overload: createOverload({
      read: async () => {
        const waits = await readPaymentWaits(db, outbox, takenUntil);
        return { ...waits, reportMs: Math.max(waits.reportMs, arrivals.lateMs()) };
      },
      refused: metrics.refusedForOverload,
      log,
    }),
    providerConnection,
    payoutChecks: createPayoutChecks(),
    nameChecks: createNameChecks(),
    sealer: createSealer(dataKeys, createPlaintextCache(), config),
    idTokens: createIdTokens(config.identity, clock, log),
    sessions: await createSessionTokens(config.session, clock),
    acceptsWebhookSecret,
    // Replace this if the provider signs its callbacks (see webhooks/verify.ts).
    webhookVerifier: pathSecretVerifier(acceptsWebhookSecret),
    metrics,
    storeCallback: createCallbackStore(db, outbox, unownedTurns, {
      unknownStored: metrics.unknownCallbackStored,
      arrived: arrivals.arrived,
    }),
    unownedTurns,
    auditLog,
  };
  const closeAll = async (): Promise<void> => {
    clearInterval(keyCheck);
    await notice.stop();
    await auditLog.stop();
    await closePools();
  };
  return { app, closeDatabase: () => unlessTooLate(closeAll(), log) };
}

/** Waits for the connections to be closed. A connection that is never released is logged and left. */
async function unlessTooLate(closing: Promise<void>, log: Log): Promise<void> {
  if (await settledWithin(CLOSE_WITHIN_MS, closing)) return closing;
  log.warn(
    { code: 'database.unclosed' },
    'connections to the database were not released in time: the process ends without waiting for them',
  );
}

/**
 * Opens the pools of connections.
 * @throws Error if the database cannot be reached or its schema does not fit this version.
 */
async function openDatabases(
  { databaseUrl, databasePoolSize, databaseBehind, erasureDatabaseUrl }: Config,
  deadlines: Deadlines,
  metrics: Metrics,
): Promise<Pick<App, 'orm' | 'db' | 'batchDb' | 'erasureDb'> & { close: () => Promise<void> }> {
  const pool = createPool(databaseUrl, databasePoolSize, deadlines, databaseBehind);
  await assertSchemaFits(pool, version).catch(async (error: unknown) => {
    await pool.end();
    throw error;
  });
  const observed = (name: PoolName, one: Pool) =>
    observedPool(one, (seconds) => metrics.connectionWaited(name, seconds));
  const orm = await createOrm(pool, observed('serving', pool));
  const db = dbOf(orm);
  await assertDistributed(db).catch(async (error: unknown) => {
    await orm.close(true);
    throw error;
  });
  const openBatch = (name: PoolName, url: string, size: number): Db =>
    dbOver(orm, observed(name, createPool(url, size, batchDeadlines, databaseBehind)));
  const batchDb = openBatch('batch', databaseUrl, BATCH_CONNECTIONS);
  const erasureDb =
    erasureDatabaseUrl === undefined
      ? batchDb
      : openBatch('erasure', erasureDatabaseUrl, ERASURE_CONNECTIONS);
  const close = async (): Promise<void> => {
    await erasureDb.destroy();
    await batchDb.destroy();
    await orm.close();
    // Kysely does not close the pool if no statement was sent through it.
    if (!pool.ending) await pool.end();
  };
  return { orm, db, batchDb, erasureDb, close };
}

const forgetDestroyedKeys = (dataKeys: DataKeys, log: Log): Promise<void> =>
  dataKeys
    .forgetDestroyed()
    .catch((error: unknown) =>
      log.warn({ code: 'data_keys.unchecked', error }, 'cached data keys could not be checked'),
    );
