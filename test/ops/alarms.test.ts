// `ops status` shows the alarms that fire, as a real Prometheus with the shipped rules knows them. It never says that nothing fires when
// it cannot know that: without a Prometheus, with one that answers nonsense, and with one that sees nothing.
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startDatabaseProxy } from '../../harness/database-proxy/database-proxy.ts';
import { startHttpServer } from '../../harness/http-server.ts';
import { freePort } from '../../harness/processes/free-port.ts';
import { startOps } from '../../ops/start.ts';
import { hasPrometheus, startPrometheus } from '../support/prometheus.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';
import { opsAt, opsHere, paid } from './support.ts';

const metricsPort = await freePort();
const { world, ada } = useWorld({ env: { METRICS_PORT: String(metricsPort) }, deposit: '500.00' });

/** Runs `ops status` with this PROMETHEUS_URL. */
async function status(prometheusUrl: string | null, ...args: string[]): Promise<string> {
  const { app } = world.service;
  const { code, out, err } = await opsHere({ ...app, config: { ...app.config, prometheusUrl } }, [
    'status',
    ...args,
  ]);
  expect([code, err]).toEqual([0, '']);
  return out;
}

/** Returns the lines under "Firing alarms". */
const alarmsIn = (out: string): string[] =>
  /^Firing alarms\n(?<lines>(?: {2}.*\n)+)/m.exec(out)?.groups?.['lines']?.trimEnd().split('\n') ?? [];

type Alarms = { firing: { name: string; since: string }[]; faults: string[] };
const alarmsOf = async (url: string): Promise<Alarms> =>
  (JSON.parse(await status(url, '--json')) as { alarms: Alarms }).alarms;

describe.skipIf(!hasPrometheus)('with a real Prometheus', () => {
  test('`status` says that nothing fires while nothing does, and then shows what fires and since when', async () => {
    const prometheus = await startPrometheus(metricsPort);
    onTestFinished(prometheus.stop);
    await until(
      () => alarmsOf(prometheus.url),
      ({ faults }) => faults.length === 0,
    );
    expect(alarmsIn(await status(prometheus.url))).toEqual(['  none']);

    await paid(ada, 'refund', 'manual_review', 30);
    const { firing } = await until(
      () => alarmsOf(prometheus.url),
      (alarms) => alarms.firing.length > 0,
    );
    expect(firing).toEqual([
      {
        name: 'PonteManualReview',
        severity: 'page',
        since: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        summary: '1 payments wait for a person.',
        runbook: 'docs/runbook.md#payments-are-in-manual_review',
      },
    ]);
    const [titles, line, ...others] = alarmsIn(await status(prometheus.url));
    expect(titles).toMatch(/^ +since {2}severity {2}alarm +what +see$/);
    expect(line).toMatch(
      /^ +(?:\d+ s|now) {2}page {6}PonteManualReview {2}1 payments wait for a person\. {2}docs\/runbook\.md#payments-are-in-manual_review$/,
    );
    expect(others).toEqual([]);
  });

  test('`status` says that a Prometheus reaches no process', async () => {
    const nothing = await freePort();
    const prometheus = await startPrometheus(nothing);
    onTestFinished(prometheus.stop);
    const { firing, faults } = await until(
      () => alarmsOf(prometheus.url),
      (alarms) => alarms.faults.join().includes('reaches none') && alarms.faults.length === 1,
    );
    expect(firing).toEqual([]);
    expect(faults[0]).toMatch(
      new RegExp(
        `^Prometheus reaches none of its 1 processes \\(127\\.0\\.0\\.1:${nothing}\\): the alarms see nothing`,
      ),
    );
    expect(alarmsIn(await status(prometheus.url))).not.toContain('  none');
  });
});

test('without PROMETHEUS_URL, `status` says what it does not see', async () => {
  expect(alarmsIn(await status(null))).toEqual([
    expect.stringMatching(/^ {2}PROMETHEUS_URL is not set, so this page does not know which alarms fire\. /),
  ]);
});

describe('without a database that answers', () => {
  const UNSEEN =
    'Workers, outbox, pauses, circuits, unfinished rows, nights and what waits for a person are unknown.';

  test.each([
    ['refuses connections', 'The database at DATABASE_URL cannot be reached. Is it running?', nowhere],
    ['is frozen', 'The database at DATABASE_URL cannot be reached. Is it running?', frozen],
    [
      'rejects the login',
      'The database at DATABASE_URL rejects the login: check its user, password and database name.',
      ofNobody,
    ],
  ])(
    'if it %s, `status` says what it cannot see, and that Prometheus is not asked',
    async (_how, fault, databaseUrl) => {
      const { code, out, err } = await statusAside({ DATABASE_URL: await databaseUrl() });
      expect([code, err]).toEqual([1, `${fault}\n`]);
      expect(out).toMatch(/^Ponte \d.*, database .*, provider http.* UTC\n/);
      expect(sections(out)).toBe(
        `\nNot seen\n  ${fault} ${UNSEEN}\n\nFiring alarms\n  PROMETHEUS_URL is not set, so this page does not know which alarms fire.\n`,
      );
    },
  );

  test('`status` asks Prometheus', async () => {
    const server = await startHttpServer(async ({ url = '' }, response) => {
      response.end(
        url.startsWith('/api/v1/alerts')
          ? alertsAnswer(WATCHDOG, alert('PonteDatabaseDown', 'page'))
          : upAnswer(UP, DOWN),
      );
    });
    onTestFinished(server.stop);
    const env = { DATABASE_URL: await nowhere(), PROMETHEUS_URL: server.url };
    const { code, out } = await statusAside(env);
    expect(code).toBe(1);
    const [titles, line, fault, ...others] = alarmsIn(out);
    expect(titles).toMatch(/^ +since {2}severity {2}alarm +what +see$/);
    expect(line).toMatch(/^ .* page {6}PonteDatabaseDown {2}PonteDatabaseDown\.$/);
    expect(fault).toMatch(/^ {2}Prometheus does not reach 1 of 2 processes /);
    expect(others).toEqual([]);
    const { out: json } = await statusAside(env, '--json');
    expect(JSON.parse(json)).toMatchObject({
      fault: 'The database at DATABASE_URL cannot be reached. Is it running?',
      alarms: { firing: [{ name: 'PonteDatabaseDown' }] },
    });
  });

  test('without a configuration that can be used, `status` says only what is wrong with it', async () => {
    const { code, out, err } = await statusAside({ PROMETHEUS_URL: 'nonsense' });
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('PROMETHEUS_URL');
  });
});

const sections = (out: string): string => out.slice(out.indexOf('\n') + 1);

/** Runs `ops status` on an app of its own. */
const statusAside = (env: NodeJS.ProcessEnv, ...args: string[]) =>
  opsAt(startOps, ['status', ...args], { ...world.env, ...env });

async function nowhere(): Promise<string> {
  const url = new URL(world.env['DATABASE_URL'] ?? '');
  url.hostname = '127.0.0.1';
  url.port = String(await freePort());
  return url.href;
}
async function frozen(): Promise<string> {
  const proxy = await startDatabaseProxy(world.env['DATABASE_URL'] ?? '');
  onTestFinished(proxy.close);
  proxy.stall();
  return proxy.url;
}
async function ofNobody(): Promise<string> {
  const url = new URL(world.env['DATABASE_URL'] ?? '');
  url.pathname = '/nobody';
  return url.href;
}

const WATCHDOG = alert('PonteWatchdog', 'none');
const UP = series('10.0.0.1:9464', '1');
const DOWN = series('10.0.0.2:9464', '0');

function alert(name: string, severity: string, state = 'firing', activeAt = '2026-11-29T02:00:00Z') {
  return { labels: { alertname: name, severity }, annotations: { summary: `${name}.` }, state, activeAt };
}
function series(instance: string, value: string) {
  return { metric: { __name__: 'up', instance, job: 'ponte' }, value: [1_795_000_000.1, value] };
}
const success = (data: object): string => JSON.stringify({ status: 'success', data });
const alertsAnswer = (...alerts: object[]): string => success({ alerts });
const upAnswer = (...result: object[]): string => success({ resultType: 'vector', result });

describe('with the answers of another server', () => {
  type Answer = { status?: number; body?: string; headers?: Record<string, string>; hangs?: boolean };
  let answers: { alerts: Answer; up: Answer };
  let server: Awaited<ReturnType<typeof startHttpServer>>;
  const questions: string[] = [];
  beforeAll(async () => {
    server = await startHttpServer(async (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://a');
      questions.push(`${pathname} ${searchParams.get('query') ?? ''}`.trim());
      const {
        status: code = 200,
        body = '',
        headers = {},
        hangs,
      } = answers[pathname.endsWith('alerts') ? 'alerts' : 'up'];
      if (hangs) {
        response.writeHead(200).write('{"status":');
        return;
      }
      response.writeHead(code, headers).end(body);
    });
  });
  afterAll(() => server.stop());

  const told = async (alerts: Answer, up: Answer): Promise<string[]> => {
    answers = { alerts, up };
    return alarmsIn(await status(server.url)).map((line) => line.trim());
  };

  test('pages come before tickets, the oldest first, and pending alerts are left out', async () => {
    const alerts = alertsAnswer(
      WATCHDOG,
      alert('PonteTwin', 'ticket', 'firing', '2026-11-28T02:00:00Z'),
      alert('PonteCircuitOpen', 'page'),
      alert('PonteOutboxGrows', 'page', 'pending'),
      alert('PostgresDown', 'page', 'firing', '2026-11-29T01:00:00Z'),
    );
    const [, ...lines] = await told({ body: alerts }, { body: upAnswer(UP) });
    expect(lines.map((line) => /(Ponte|Postgres)\w+/.exec(line)?.[0])).toEqual([
      'PostgresDown',
      'PonteCircuitOpen',
      'PonteTwin',
    ]);
    expect(questions.toSorted().slice(-2)).toEqual(['/api/v1/alerts', '/api/v1/query up{job="ponte"}']);
  });

  test.each<[string, string, string, RegExp[]]>([
    ['nothing fires', alertsAnswer(WATCHDOG), upAnswer(UP), [/^none$/]],
    ['the watchdog does not fire', alertsAnswer(), upAnswer(UP), [/^PonteWatchdog does not fire, so /]],
    [
      'the watchdog is pending',
      alertsAnswer({ ...WATCHDOG, state: 'pending' }),
      upAnswer(UP),
      [/^PonteWatchdog does not fire, so /],
    ],
    [
      'nothing is scraped',
      alertsAnswer(WATCHDOG),
      upAnswer(),
      [/^Prometheus scrapes no process under the job /],
    ],
    [
      'no process is reached',
      alertsAnswer(WATCHDOG),
      upAnswer(DOWN),
      [/^Prometheus reaches none of its 1 processes \(10\.0\.0\.2:9464\): /],
    ],
    [
      'one of two processes is not reached',
      alertsAnswer(WATCHDOG),
      upAnswer(UP, DOWN),
      [/^Prometheus does not reach 1 of 2 processes \(10\.0\.0\.2:9464\): /],
    ],
    [
      'rules of others fire',
      alertsAnswer(WATCHDOG, ...'abcdef'.split('').map((letter) => alert(letter, 'page'))),
      upAnswer(UP),
      [/^Alarms of other rules also fire: a, b, c, d, e, \.\.\.\.$/],
    ],
  ])('if %s, `status` says so', async (_what, alerts, up, lines) => {
    const seen = await told({ body: alerts }, { body: up });
    expect(seen).toHaveLength(lines.length);
    for (const [index, line] of lines.entries()) expect(seen[index]).toMatch(line);
  });

  const good = { alerts: { body: alertsAnswer(WATCHDOG) }, up: { body: upAnswer(UP) } };
  const NOT_ONE =
    /^http:.* answered \/api\/v1\/\w+ with .*: check that PROMETHEUS_URL is the address of a Prometheus that is ready\. So this page does not know which alarms fire\.$/;

  test.each<[string, { alerts?: Answer; up?: Answer }]>([
    ['a page of HTML', { alerts: { body: '<html>' } }],
    ['nothing', { alerts: { body: '' } }],
    ['null', { alerts: { body: 'null' } }],
    ['404', { alerts: { status: 404 } }],
    ['503', { up: { status: 503, body: upAnswer(UP) } }],
    ['a redirect', { alerts: { status: 302, headers: { location: '/login' } } }],
    ['an error of Prometheus', { up: { body: '{"status":"error","errorType":"timeout","error":"x"}' } }],
    ['data without alerts', { alerts: { body: success({}) } }],
    [
      'an alert without labels',
      { alerts: { body: alertsAnswer({ state: 'firing', activeAt: '2026-11-29T02:00:00Z' }) } },
    ],
    ['an alert without a time', { alerts: { body: alertsAnswer({ ...WATCHDOG, activeAt: 'soon' }) } }],
    ['a null alert', { alerts: { body: success({ alerts: [null] }) } }],
    [
      'a label that is a number',
      { alerts: { body: alertsAnswer({ ...WATCHDOG, labels: { alertname: 7 } }) } },
    ],
    ['a matrix', { up: { body: success({ resultType: 'matrix', result: [] }) } }],
    ['a series without a value', { up: { body: upAnswer({ metric: {} }) } }],
  ])('if it answers %s, `status` does not say that nothing fires', async (_what, bad) => {
    const seen = await told(bad.alerts ?? good.alerts, bad.up ?? good.up);
    expect(seen).toEqual([expect.stringMatching(NOT_ONE)]);
  });

  const NO_ANSWER =
    /^Prometheus at http:\S+ did not answer \(.*\)\. So this page does not know which alarms fire\.$/;

  test('if its answer does not end, `status` ends within seconds and says so', async () => {
    expect(await told({ hangs: true }, good.up)).toEqual([expect.stringMatching(NO_ANSWER)]);
  });

  test('if nothing listens, `status` says so', async () => {
    const lines = alarmsIn(await status(`http://127.0.0.1:${await freePort()}`));
    expect(lines.map((line) => line.trim())).toEqual([expect.stringMatching(NO_ANSWER)]);
  });
});
