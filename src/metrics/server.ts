// Serves GET /metrics, GET /ready and GET /health on their own port: what this process counts, the backlog, whether the process can
// do its work, and that it is alive. A worker has no other port. Only this machine can reach it, unless METRICS_HOST is another
// address.

import { createServer, type Server } from 'node:http';
import { getHeapStatistics } from 'node:v8';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Clock } from '../domain/clock.ts';
import type { Log } from '../domain/log.ts';
import type { Overload } from '../outbox/overload.ts';
import type { PaymentWaits } from '../outbox/payment-waits.ts';
import { settledWithin } from '../platform/concurrency/settled-within.ts';
import type { Db } from '../tables/orm.ts';
import { countBacklog } from './backlog.ts';
import { addGauge } from './gauges.ts';
import type { Metrics } from './metrics.ts';
import type { Readiness } from './readiness.ts';

/** The database is asked at most once in this time, however often the metrics are scraped. */
const BACKLOG_KEPT_MS = 5_000;

/** A frozen database answers nothing. A scrape that waits longer than Prometheus would make the process seem dead. */
const COUNTED_WITHIN_MS = 3_000;

const JSON_TYPE = 'application/json; charset=utf-8';

type MetricsServices = { db: Db; overload: Overload; metrics: Metrics; clock: Clock; log: Log };

/** Starts serving the metrics. @throws Error if the port is in use. */
export async function serveMetrics(
  services: MetricsServices,
  { port, host }: { port: number; host: string },
  readiness: Readiness,
): Promise<Server> {
  const backlog = createBacklog(services);
  // Processor, memory, garbage collection and event loop lag, under the names of the Prometheus client libraries.
  const ofProcess = new Registry();
  collectDefaultMetrics({ register: ofProcess });
  addGauge(ofProcess, 'ponte_heap_limit_bytes', 'The size of the heap at which the process ends.', [
    { value: getHeapStatistics().heap_size_limit },
  ]);
  const page = async (): Promise<string> =>
    Registry.merge([services.metrics.registry, await backlog(), ofProcess]).metrics();
  const answers: Record<string, () => Promise<Answer>> = {
    'GET /metrics': async () => ({ status: 200, type: Registry.PROMETHEUS_CONTENT_TYPE, body: await page() }),
    'GET /ready': () => readyAnswer(readiness),
    'GET /health': async () => ({ status: 200, type: JSON_TYPE, body: '{"status":"ok"}' }),
  };
  const server = createServer((request, response) => {
    response.setHeaders(new Headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }));
    const answer = answers[`${request.method} ${request.url?.split('?', 1)[0]}`];
    if (!answer) return void response.writeHead(404).end();
    answer().then(
      ({ status, type, body }) => response.writeHead(status, { 'content-type': type }).end(body),
      (error: unknown) => {
        services.log.error({ code: 'metrics.unanswered', error }, 'a scrape could not be answered');
        response.writeHead(500).end();
      },
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return server;
}

type Answer = { status: number; type: string; body: string };

async function readyAnswer({ unready }: Readiness): Promise<Answer> {
  const faults = await unready();
  return faults.length === 0
    ? { status: 200, type: JSON_TYPE, body: '{"status":"ready"}' }
    : { status: 503, type: JSON_TYPE, body: JSON.stringify({ status: 'unready', faults }) };
}

/** Counts the backlog. It never fails: if the database does not answer, the metric `ponte_database_up` is 0. */
function createBacklog({ db, overload, clock, log }: MetricsServices): () => Promise<Registry> {
  let kept: Promise<Registry> | null = null;
  let keptUntil = 0;

  const count = async (): Promise<Registry> => {
    try {
      const counting = Promise.all([countBacklog(db, clock.now()), overload.waits()]);
      if (!(await settledWithin(COUNTED_WITHIN_MS, counting)))
        throw new Error('the database has not answered in time');
      const [registry, waits] = await counting;
      addPaymentWaits(registry, waits);
      return withDatabaseUp(registry, 1);
    } catch (error) {
      log.warn(
        { code: 'metrics.backlog_uncounted', error },
        'the backlog could not be counted in the database',
      );
      return withDatabaseUp(new Registry(), 0);
    }
  };

  return () => {
    const now = performance.now();
    if (kept === null || now > keptUntil) {
      keptUntil = now + BACKLOG_KEPT_MS;
      kept = count();
    }
    return kept;
  };
}

function addPaymentWaits(registry: Registry, { conversionMs, payoutMs, reportMs }: PaymentWaits): void {
  addGauge(
    registry,
    'ponte_payment_wait_seconds',
    'How long conversions, payouts and provider reports wait. Above 0.6 s, new payments are refused.',
    [
      { labels: { for: 'conversion' }, value: conversionMs / 1_000 },
      { labels: { for: 'payout' }, value: payoutMs / 1_000 },
      { labels: { for: 'report' }, value: reportMs / 1_000 },
    ],
  );
}

function withDatabaseUp(registry: Registry, value: 0 | 1): Registry {
  addGauge(registry, 'ponte_database_up', '1 while the database answers.', [{ value }]);
  return registry;
}
