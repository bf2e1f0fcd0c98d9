// Assembles the service: database, provider, HTTP and worker. They start in this order and stop in reverse.
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createAuthenticate } from '../api/authenticate.ts';
import { createByteBudget } from '../api/byte-budget.ts';
import { createClientAddresses } from '../api/client-address.ts';
import { closingReasons, createConnections } from '../api/connections.ts';
import { createContract } from '../api/contract.ts';
import { anonymousLines } from '../api/line-budget.ts';
import { answerMalformedHttp } from '../api/malformed-http.ts';
import { observeRequests } from '../api/observe-requests.ts';
import { createServer } from '../api/server.ts';
import { createHttpServer } from '../api/timeouts.ts';
import { type Clock, systemClock } from '../domain/clock.ts';
import type { Log } from '../domain/log.ts';
import { addClientGauges } from '../metrics/client-gauges.ts';
import { createReadiness } from '../metrics/readiness.ts';
import { serveMetrics } from '../metrics/server.ts';
import { createNotifier } from '../outbox/notify.ts';
import { type DatabaseClock, systemDatabaseClock } from '../platform/database/database-time.ts';
import { warnOfRotation } from '../webhooks/rotation.ts';
import { adoptConfiguredSecret } from '../webhooks/secrets.ts';
import { type App, servicesFor } from './app.ts';
import type { Config } from './config.ts';
import { createApp } from './create-app.ts';
import { assertDurableCommits } from './durable-commits.ts';
import { createGates, handlers } from './operations.ts';
import { startEngine } from './start-engine.ts';
import { startTracing } from './start-tracing.ts';
import { warnOfDatabaseRoles } from './warnings.ts';

/**
 * After a stop request: how long calls to the provider may still take. DRAIN_MS is the limit for requests
 * to us. Both are in milliseconds.
 */
const PROVIDER_PATIENCE_MS = 7_000;
const DRAIN_MS = 8_000;
const IDLE_EVERY_MS = 50;
/** How long after a stop request the last spans may still be exported, in milliseconds. */
const TRACES_UNTIL_MS = 9_000;

export type Service = {
  app: App;
  /** The URL at which HTTP is served; null for a worker. */
  url: string | null;
  /**
   * Finishes current work, refuses new work and releases all resources. Calling it again waits for the same stop.
   * @param delayMs for this time requests are still answered, while GET /ready reports that the process stops.
   */
  stop: (delayMs?: number) => Promise<void>;
};

/**
 * Starts the service.
 * @throws Error if the database cannot be reached, its schema does not fit this version, or in production its commits are not durable.
 */
export async function startService(
  config: Config,
  {
    log,
    clock = systemClock,
    databaseClock = systemDatabaseClock,
  }: { log: Log; clock?: Clock; databaseClock?: DatabaseClock },
): Promise<Service> {
  const { app, closeDatabase } = await createApp(config, { log, clock, databaseClock });
  await assertDurableCommits(app).catch(async (error: unknown) => {
    await app.providerConnection.close();
    await closeDatabase();
    throw error;
  });
  const stopTracing = await startTracing(config, log);
  const isApi = config.role !== 'worker';
  const isWorker = config.role !== 'api';
  const stopping = new AbortController();
  // Listen first, so that a port in use is detected before any work starts.
  const http = isApi ? await listen(app, stopping.signal) : null;
  const { metricsPort: port, metricsHost: host } = config;
  const working = isWorker ? await startEngine(app) : null;
  if (!isWorker) app.outbox.attach(createNotifier(app.db));
  const readiness = createReadiness(app, working?.ages ?? null);
  const metrics = port === undefined ? null : await serveMetrics(app, { port, host }, readiness);

  adoptConfiguredSecret(app.db, config.webhookSecret, clock.now())
    .then(() => warnOfRotation(app))
    .catch((error: unknown) =>
      log.error(
        { code: 'webhook_secret.unadopted', error },
        'the configured webhook secret could not be made current',
      ),
    );
  await warnOfDatabaseRoles(app);

  const stop = async (delayMs: number): Promise<void> => {
    stopping.abort();
    readiness.stop();
    if (delayMs > 0) await pause(delayMs);
    const begunAt = performance.now();
    // After this time, requests that wait for the provider get an unknown outcome and are answered in time.
    const patience = setTimeout(() => void app.providerConnection.close(), PROVIDER_PATIENCE_MS);
    await Promise.all([http && drain(http), working?.stop()]);
    clearTimeout(patience);
    await app.providerConnection.close();
    if (metrics) await drain(metrics);
    await working?.releaseAll();
    await Promise.all([closeDatabase(), stopTracing(TRACES_UNTIL_MS - (performance.now() - begunAt))]);
  };
  let stopped: Promise<void> | null = null;
  return {
    app,
    url: http && `http://localhost:${(http.address() as AddressInfo).port}`,
    stop: (delayMs = 0) => (stopped ??= stop(delayMs)),
  };
}

/** Starts listening. @param stopping once aborted, clients are told to send their next request over another connection. */
async function listen(app: App, stopping: AbortSignal): Promise<Server> {
  const contract = await createContract((caller) => servicesFor(app, caller), handlers);
  const callers = { authenticate: createAuthenticate(app), gates: createGates(app) };
  const mayWrite = anonymousLines(app.log);
  const addresses = createClientAddresses(app.config.trustedProxies, (peer) =>
    app.log.warn(
      { code: 'proxy.unlisted', peer },
      'a peer that TRUSTED_PROXIES does not list forwards addresses: all its clients count as one address',
    ),
  );
  const bytes = createByteBudget();
  const handle = observeRequests(createServer(app, contract, callers, { addresses, bytes }), {
    log: app.log,
    mayWrite,
    requested: app.metrics.requested,
    trustsCallers: app.config.tracing?.trustsCallers ?? false,
  });
  const connections = createConnections(app.config.maxConnections, addresses, {
    closed: (reason) => app.metrics.clientClosed(reason, 1),
    refused: app.metrics.clientRefused,
  });
  // A series that begins with its first event has no increase for Prometheus.
  for (const { operation, status } of [...contract.answers, { operation: 'none', status: '404' }])
    app.metrics.answerable(operation, status);
  for (const reason of closingReasons) app.metrics.clientClosed(reason, 0);
  addClientGauges(app.metrics.registry, { connections: connections.count, bytes: bytes.held });
  const server = createHttpServer(
    connections.bound((request, response) => {
      if (stopping.aborted) response.setHeader('Connection', 'close');
      handle(request, response);
    }),
  );
  connections.watch(server);
  answerMalformedHttp(server, connections, (status, requestId) => {
    app.metrics.requested('none', status, 0);
    if (!mayWrite(`malformed: ${status}`)) return;
    app.log.info(
      { code: 'request.malformed', requestId, status },
      'the connection sent no valid HTTP request',
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(app.config.port, app.config.host, resolve);
  });
  return server;
}

/** Stops accepting connections, lets running requests finish, and then closes the remaining connections. */
async function drain(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A kept-alive connection becomes idle when its request is done. Close it, so that it does not bring another request.
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_EVERY_MS);
  const insist = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await closed;
  clearInterval(idle);
  clearTimeout(insist);
}
