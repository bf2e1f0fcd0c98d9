// The alerts and dashboards read metrics that the service has, and each alert leads to a page of the runbook. promtool evaluates the
// rules: npm run check:alerts.
import { beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../harness/processes/free-port.ts';
import { countBacklog } from '../../src/metrics/backlog.ts';
import { discrepancyKinds } from '../../src/tables/discrepancies/entity.ts';
import { listFindingKinds } from '../../src/tables/list-findings/entity.ts';
import { anchorsIn, documentText } from '../docs/markdown.ts';
import { pay, quote, reaches } from '../support/person.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';
import {
  dashboards,
  expressions,
  groupedBy,
  readScrape,
  recorded,
  rules,
  ruleTests,
  type Scrape,
  selectorsIn,
} from './monitoring.ts';

/** Prometheus adds these labels, and this metric, to each scrape. */
const OF_PROMETHEUS = ['job', 'instance', 'le'];
const UP = 'up';
/** The expression of the watchdog. */
const ALWAYS = 'vector(1)';
/** A status that no request of this test was answered with. */
const isUnseen = (metric: string, label: string): boolean =>
  metric === 'ponte_http_requests_total' && label === 'status';

const alertmanager = documentText('deploy/prometheus/alertmanager.example.yaml');

let scrape: Scrape;
let shared: string[];

const port = await freePort();
const { world, ada } = useWorld({
  env: { METRICS_PORT: String(port), BUILD_COMMIT: 'a1cb3188' },
  deposit: '100.00',
});
beforeAll(async () => {
  await reaches(ada, await pay(ada, await quote(ada, 10)), 'completed');
  const toKey = { pixKey: 'fail@pix.example', pixKeyType: 'email' } as const;
  await reaches(ada, await pay(ada, await quote(ada, 11), toKey), 'payout_failed');
  const seen = await until(
    async () => readScrape(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()),
    (series) =>
      series.get('ponte_callback_lag_seconds_count') !== undefined &&
      series.get('nodejs_gc_duration_seconds_sum') !== undefined &&
      series.get('ponte_http_requests_total') !== undefined,
  );
  scrape = seen;
  shared = (await countBacklog(world.service.app.db, new Date())).getMetricsAsArray().map(({ name }) => name);
});

test.each(expressions)('%s reads only metrics and labels that the service has', (_where, expr) => {
  const selectors = selectorsIn(expr);
  expect(selectors.length === 0).toBe(expr === ALWAYS);
  const labels = new Set(OF_PROMETHEUS);
  for (const { metric, matchers } of selectors.filter((one) => !recorded.includes(one.metric))) {
    const series = scrape.get(metric) ?? [];
    expect([metric, metric === UP || series.length > 0]).toEqual([metric, true]);
    for (const one of series) for (const label of Object.keys(one)) labels.add(label);
    for (const { label, values } of matchers.filter((one) => !OF_PROMETHEUS.includes(one.label))) {
      expect([label, series.every((one) => label in one)]).toEqual([label, true]);
      if (isUnseen(metric, label)) continue;
      const existing = series.map((one) => one[label]);
      expect(existing).toEqual(expect.arrayContaining(values));
    }
  }
  expect(groupedBy(expr).filter((label) => !labels.has(label))).toEqual([]);
});

test.each(expressions)('%s does not add up what each process reads from the database', (_where, expr) => {
  const summed = [...expr.replaceAll(/\bby *\([^)]*\)/g, ' ').matchAll(/\bsum *\( *(?<name>ponte_\w+)/g)];
  expect(
    summed.map(({ groups = {} }) => groups['name'] ?? '').filter((name) => shared.includes(name)),
  ).toEqual([]);
});

test('no label of the service has a name that Prometheus sets itself on a scraped series', () => {
  const labels = [...scrape.values()].flat().flatMap((series) => Object.keys(series));
  expect(labels.filter((label) => /^(job|instance|exported_.*)$/.test(label))).toEqual([]);
});

test('a metric, a label and a value that the service lacks would be found', () => {
  expect(
    selectorsIn('sum by (kind) (rate(ponte_none_total{kind="x|y",job!="z"}[5m])) > 0 and up == 1'),
  ).toEqual([
    {
      metric: 'ponte_none_total',
      matchers: [
        { label: 'kind', values: ['x', 'y'] },
        { label: 'job', values: ['z'] },
      ],
    },
    { metric: 'up', matchers: [] },
  ]);
  expect(groupedBy('sum by (le, kind) (x)')).toEqual(['le', 'kind']);
  expect(scrape.get('ponte_none_total')).toBeUndefined();
  expect(scrape.get('ponte_effects')).toContainEqual({ status: 'exhausted' });
});

test('the dashboards show every metric of the service', () => {
  const shown = dashboards.flatMap(({ panels }) =>
    panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => selectorsIn(expr))),
  );
  const names = new Set(shown.map(({ metric }) => metric.replace(/_(bucket|sum|count)$/, '')));
  const exported = [...scrape.keys()].filter((name) => name.startsWith('ponte_'));
  expect(exported.length).toBeGreaterThan(30);
  const hidden = exported.filter(
    (name) => !names.has(name) && !names.has(name.replace(/_(bucket|sum|count)$/, '')),
  );
  expect(hidden).toEqual([]);
});

const WATCHDOG = 'PonteWatchdog';

describe('each alert', () => {
  const pages = anchorsIn(documentText('docs/runbook.md'));

  test.each(rules.map((rule) => [rule.alert, rule] as const))(
    '%s says what is wrong, how urgent it is, and which page of the runbook helps',
    (name, { labels, annotations }) => {
      expect(name === WATCHDOG ? ['none'] : ['page', 'ticket']).toContain(labels.severity);
      expect(annotations.summary).toMatch(/^[A-Z{].+\.$/);
      const [file, page = ''] = annotations.runbook_url.split('#');
      expect(file).toBe('docs/runbook.md');
      expect([page, pages.has(page)]).toEqual([page, true]);
    },
  );

  test.each(rules.map(({ alert }) => alert).filter((alert) => alert !== WATCHDOG))(
    '%s has a unit test in which it fires and one in which it is silent',
    (alert) => {
      const results = ruleTests
        .map((one) => one.alert_rule_test.filter(({ alertname }) => alertname === alert))
        .filter((evaluations) => evaluations.length > 0)
        .map((evaluations) => new Set(evaluations.map(({ exp_alerts: fires }) => fires.length > 0)));
      expect(results.slice(0, 2)).toEqual([new Set([true]), new Set([false])]);
      // Further tests show other conditions under which it fires.
      for (const result of results.slice(2)) expect(result).toEqual(new Set([true]));
    },
  );
});

test('every kind of discrepancy has its alert', () => {
  const alerted = rules
    .flatMap(({ expr }) => selectorsIn(expr))
    .filter(({ metric }) => metric === 'ponte_discrepancies')
    .flatMap(({ matchers }) => matchers.flatMap(({ values }) => values));
  expect(new Set(alerted)).toEqual(new Set([...discrepancyKinds, ...listFindingKinds]));
  expect(new Set(alerted).size).toBe(alerted.length);
});

test('the names of alerts, dashboards and panels are unique, and each panel says what it shows', () => {
  const names = [rules.map(({ alert }) => alert), dashboards.map(({ uid }) => uid)];
  for (const each of names) expect(new Set(each).size).toBe(each.length);
  for (const { panels } of dashboards) {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
    for (const { description } of panels) expect(description).toMatch(/^\S.+\.$/);
  }
});

test('the example of Alertmanager names only alerts that exist, and the pages go to the receiver of pages', () => {
  const names = rules.map(({ alert }) => alert);
  const patterns = [...alertmanager.matchAll(/Ponte[\w.*]+/g)].map(([name]) => name.replace(/\.\*$/, ''));
  expect(patterns.length).toBeGreaterThan(20);
  for (const pattern of patterns)
    expect([pattern, names.some((name) => name.startsWith(pattern))]).toEqual([pattern, true]);
  expect(alertmanager).toMatch(/matchers: \[severity="page"\]\n *receiver: pager/);
});
