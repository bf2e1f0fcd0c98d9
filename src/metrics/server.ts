// GET /metrics and GET /ready on a port of their own: what this process counts, what is to be done, and whether it can do its
// work. It is nobody's business outside, so it is served to this machine alone unless told otherwise (METRICS_HOST).
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { App } from '../app.ts';
import { countBacklog } from './backlog.ts';
import { providerFamilies } from './metrics.ts';
import type { Readiness } from './readiness.ts';
import { type Family, gauge, render } from './registry.ts';

/** However many look, the database is asked so often at most. */
const BACKLOG_KEPT_MS = 5_000;

/** @throws when the port is taken. */
export async function serveMetrics(
  app: App,
  { port, host }: { port: number; host: string },
  readiness: Readiness,
): Promise<Server> {
  const backlog = createBacklog(app);
  const page = async (): Promise<string> => {
    const counted = await backlog();
    return render([...app.metrics.families(), ...providerFamilies(app.provider.state()), ...counted]);
  };
  const server = createServer((request, response) => {
    response.setHeaders(new Headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }));
    const asked = `${request.method} ${request.url?.split('?', 1)[0]}`;
    if (asked === 'GET /metrics') void answer(response, page());
    else if (asked === 'GET /ready') void answerReady(response, readiness);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return server;
}

async function answer(response: ServerResponse, page: Promise<string>): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(await page);
}

async function answerReady(response: ServerResponse, { unready }: Readiness): Promise<void> {
  const faults = await unready();
  const body = faults.length === 0 ? { status: 'ready' } : { status: 'unready', faults };
  response
    .writeHead(faults.length === 0 ? 200 : 503, { 'content-type': 'application/json' })
    .end(JSON.stringify(body));
}

/** Never fails: that the database does not answer is worth knowing, too. */
function createBacklog(app: App): () => Promise<Family[]> {
  let kept: Promise<Family[]> | null = null;
  let keptUntil = 0;

  const look = async (): Promise<Family[]> => {
    try {
      return [databaseAnswers(1), ...(await countBacklog(app.replica, app.clock.now()))];
    } catch (error) {
      app.log.warn({ error }, 'the backlog could not be counted');
      return [databaseAnswers(0)];
    }
  };

  return () => {
    const now = performance.now();
    if (kept === null || now > keptUntil) {
      keptUntil = now + BACKLOG_KEPT_MS;
      kept = look();
    }
    return kept;
  };
}

const databaseAnswers = (value: 0 | 1): Family =>
  gauge('ponte_database_answers', '1 when the database could be asked.', [{ value }]);
