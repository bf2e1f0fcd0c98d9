// Runs one incident: a healthy start, the fault, and what rings until all its alerts have rung and pages have been sent.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startAlertmanager } from '../../harness/monitoring/alertmanager.ts';
import { type Alert, type Prometheus, startPrometheus } from '../../harness/monitoring/prometheus.ts';
import { until } from '../../harness/people/until.ts';
import type { AtEnd } from '../run-in-folder.ts';
import { type Environment, payMeanwhile, startEnvironment } from './environment.ts';
import type { Incident } from './incidents/incident.ts';
import { type Page, readPage } from './page.ts';
import { writePast } from './past.ts';

/** A page of the metrics may take three seconds. */
const SCRAPED_EVERY_SECONDS = 4;
/** Enough for the series to have a value before the fault. */
const HEALTHY_FOR_MS = 12_000;
/** An incident of this drill shows itself within this time. The past of others is backfilled. */
const RINGS_WITHIN_MS = 10 * 60_000;
/** How long the run looks on after the last alert has rung. Alertmanager waits half a minute before it pages. */
const LOOKS_ON_MS = 40_000;
/** How often the environment is healed again, because work in flight had still met the former fault. */
const MAX_HEALED = 4;
const MAX_PAGES = 2;
const LOOKS_EVERY_MS = 1_000;
/** The watchdog's notification is repeated every minute until it arrives. */
const WATCHED_WITHIN_MS = 100_000;
/** The fault shows in the pages after this time. */
const HIT_SHOWS_AFTER_MS = 30_000;
/** The past repeats what happened in this time. */
const REPEATED_MS = 30_000;

export type Rung = { alert: string; severity: string; afterMs: number };
export type Result = {
  name: string;
  /** The day of the run. */
  day: string;
  rung: Rung[];
  /** The alerts of each message that woke a person, and of the message that would have come next. */
  pages: string[][];
  status: string;
  violations: string[];
};

/** Runs incidents one after the other. A new environment is made when one is spoilt. */
export async function drillAll(
  next: () => Incident | undefined,
  folder: string,
  atEnd: AtEnd,
  onResult: (result: Result) => void,
): Promise<void> {
  const stops: (() => Promise<void>)[] = [];
  const stopAll = async (): Promise<void> => {
    for (const stop of stops.splice(0).toReversed()) await stop();
  };
  atEnd(stopAll);
  let environment: Environment | null = null;
  for (let incident = next(); incident; incident = next()) {
    const own = join(folder, incident.name);
    console.log(`${incident.name}: starting`);
    environment ??= await startEnvironment(own, (stop) => stops.push(stop));
    const result = await drill(incident, own, environment, atEnd);
    onResult(result);
    if (incident.spoils || result.violations.length > 0) {
      await stopAll();
      environment = null;
    } else await environment.heal();
  }
  await stopAll();
}

async function drill(
  incident: Incident,
  folder: string,
  environment: Environment,
  atEnd: AtEnd,
): Promise<Result> {
  const stops: (() => Promise<void>)[] = [];
  const stopAll = async (): Promise<void> => {
    for (const stop of stops.splice(0).toReversed()) await stop();
  };
  atEnd(stopAll);
  const say = (text: string): void => console.log(`${incident.name}: ${text}`);
  const alertmanager = await startAlertmanager();
  stops.push(alertmanager.stop);
  const watch = async (dataFolder?: string): Promise<Prometheus> => {
    const prometheus = await startPrometheus({
      alertmanagerPort: alertmanager.port,
      metricsPorts: environment.metricsPorts,
      everySeconds: SCRAPED_EVERY_SECONDS,
      ...(dataFolder !== undefined && { dataFolder }),
    });
    stops.push(prometheus.stop);
    return prometheus;
  };
  const [paying, ending] = [new AbortController(), new AbortController()];
  const paid = payMeanwhile(environment, paying);
  stops.push(async () => {
    paying.abort();
    await paid;
  });

  let [prometheus, firstRang]: [Prometheus | null, Map<string, number>] = [null, new Map()];
  if (!incident.past) prometheus = await watch();
  await pause(HEALTHY_FOR_MS);
  let before = prometheus === null ? [] : firing(await prometheus.alerts());
  for (let tries = 0; prometheus !== null && before.length > 0 && tries < MAX_HEALED; tries += 1) {
    await environment.heal();
    await pause(HEALTHY_FOR_MS);
    before = firing(await prometheus.alerts());
  }
  const healthy = incident.past ? await readPages(environment) : [];
  const begunAt = Date.now();
  say(incident.injected);
  if (incident.usersStop) paying.abort();
  const lasting = incident.begin(environment, ending.signal);
  lasting.catch(() => undefined);
  if (incident.past) {
    await pause(HIT_SHOWS_AFTER_MS);
    const hit = await readPages(environment);
    const dataFolder = join(folder, 'prometheus');
    await mkdir(folder, { recursive: true });
    firstRang = await writePast(dataFolder, incident.past, { healthy, hit });
    prometheus = await watch(dataFolder);
  }
  const server = prometheus as Prometheus;

  const rung = new Map<string, Rung>();
  const look = async (): Promise<void> => {
    for (const { alert, severity } of firing(await server.alerts())) {
      if (rung.has(alert)) continue;
      const afterMs = firstRang.get(alert) ?? Date.now() - begunAt;
      rung.set(alert, { alert, severity, afterMs });
      say(`${alert} after ${Math.round(afterMs / 1_000)} s`);
    }
  };
  await until(look, () => incident.rings.every((alert) => rung.has(alert)), RINGS_WITHIN_MS).catch(
    () => undefined,
  );
  for (const lookedSince = Date.now(); Date.now() - lookedSince < LOOKS_ON_MS; await pause(LOOKS_EVERY_MS))
    await look();
  const waiting = await alertmanager.waiting();
  const pages = [...alertmanager.pages(), ...(waiting.length > 0 ? [waiting] : [])];
  const isWatched = await until(
    async () => alertmanager.isWatched(),
    (is) => is,
    WATCHED_WITHIN_MS,
  ).catch(() => false);
  const status = await environment.ops(['status'], { PROMETHEUS_URL: server.url });
  ending.abort();
  paying.abort();
  const fault = await lasting.then(
    () => null,
    (error: unknown) => String(error),
  );
  await stopAll();
  const rungAlerts = [...rung.values()];
  const violations = [
    ...(fault === null ? [] : [`the fault was not injected: ${fault}`]),
    ...(isWatched ? [] : ['the watchdog was not heard']),
    ...(pages.length > MAX_PAGES ? [`${pages.length} pages`] : []),
    ...before.map(({ alert }) => `${alert} rang before the incident`),
    ...incident.rings.filter((alert) => !rung.has(alert)).map((alert) => `${alert} is silent`),
    ...rungAlerts
      .filter(({ alert }) => !incident.rings.includes(alert) && !incident.mayRing?.includes(alert))
      .map(({ alert }) => `${alert} rang`),
    ...Object.keys(incident.silent)
      .filter((alert) => rung.has(alert) && incident.mayRing?.includes(alert))
      .map((alert) => `${alert} rang`),
  ].map((violation) => `${incident.name}: ${violation}`);
  for (const violation of violations) console.error(`VIOLATION  ${violation}`);
  const day = new Date().toISOString().slice(0, 10);
  return { name: incident.name, day, rung: rungAlerts, pages, status, violations };
}

/** Reads the pages of both processes twice. */
async function readPages({ metricsPorts }: Environment): Promise<Page[]> {
  const read = () => Promise.all(metricsPorts.map((port) => readPage(port)));
  const first = await read();
  await pause(REPEATED_MS);
  return [...first, ...(await read())];
}

const firing = (alerts: Alert[]): Omit<Rung, 'afterMs'>[] =>
  alerts
    .filter(({ state, labels }) => state === 'firing' && labels['severity'] !== 'none')
    .map(({ labels }) => ({ alert: labels['alertname'] ?? '', severity: labels['severity'] ?? '' }));
