// Runs one incident: a healthy start, the fault, and what rings until all its alerts have rung and pages have been sent.
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startAlertmanager } from '../../harness/monitoring/alertmanager.ts';
import { type Alert, startPrometheus } from '../../harness/monitoring/prometheus.ts';
import { until } from '../../harness/people/until.ts';
import type { AtEnd } from '../run-in-folder.ts';
import { payMeanwhile, startEnvironment } from './environment.ts';
import type { Incident } from './incidents.ts';

/** A page of the metrics may take three seconds. */
const SCRAPED_EVERY_SECONDS = 4;
/** Enough for the series to have a value before the fault. */
const HEALTHY_FOR_MS = 12_000;
/** An incident of this drill shows itself within this time. Others are backfilled. */
const RINGS_WITHIN_MS = 10 * 60_000;
/** How long the run looks on after the last alert has rung. Alertmanager waits half a minute before it pages. */
const LOOKS_ON_MS = 40_000;
const MOST_PAGES = 2;
const LOOKS_EVERY_MS = 1_000;

export type Rung = { alert: string; severity: string; afterMs: number };
export type Result = {
  incident: Incident;
  rung: Rung[];
  /** The alerts of each message that woke a person. */
  pages: string[][];
  status: string;
  violations: string[];
};

export async function drill(incident: Incident, folder: string, atEnd: AtEnd): Promise<Result> {
  const stops: (() => Promise<void>)[] = [];
  const stopAll = async (): Promise<void> => {
    for (const stop of stops.splice(0).toReversed()) await stop();
  };
  atEnd(stopAll);
  console.log(`${incident.name}: starting`);
  const environment = await startEnvironment(
    join(folder, incident.name),
    (stop) => stops.push(stop),
    incident.env,
  );
  const alertmanager = await startAlertmanager();
  stops.push(alertmanager.stop);
  const prometheus = await startPrometheus({
    alertmanagerPort: alertmanager.port,
    metricsPorts: environment.metricsPorts,
    everySeconds: SCRAPED_EVERY_SECONDS,
  });
  stops.push(prometheus.stop);
  const paying = new AbortController();
  const paid = payMeanwhile(environment, paying);
  stops.push(async () => {
    paying.abort();
    await paid;
  });
  await pause(HEALTHY_FOR_MS);
  const before = firing(await prometheus.alerts());
  const begunAt = Date.now();
  console.log(`${incident.name}: ${incident.injected}`);
  const lasting = incident.begin(environment, paying.signal);
  const rung = new Map<string, Rung>();
  const look = async (): Promise<void> => {
    for (const { alert, severity } of firing(await prometheus.alerts())) {
      if (rung.has(alert)) continue;
      rung.set(alert, { alert, severity, afterMs: Date.now() - begunAt });
      console.log(`${incident.name}: ${alert} after ${Math.round((Date.now() - begunAt) / 1_000)} s`);
    }
  };
  await until(look, () => incident.rings.every((alert) => rung.has(alert)), RINGS_WITHIN_MS).catch(
    () => undefined,
  );
  for (const lookedSince = Date.now(); Date.now() - lookedSince < LOOKS_ON_MS; await pause(LOOKS_EVERY_MS))
    await look();
  const status = await environment.ops(['status'], { PROMETHEUS_URL: prometheus.url });
  paying.abort();
  await lasting;
  await stopAll();
  const rungAlerts = [...rung.values()];
  const pages = alertmanager.pages();
  return {
    incident,
    rung: rungAlerts,
    pages,
    status,
    violations: [
      ...(pages.length > MOST_PAGES ? [`${incident.name}: ${pages.length} pages`] : []),
      ...before.map(({ alert }) => `${incident.name}: ${alert} rang before the incident`),
      ...incident.rings
        .filter((alert) => !rung.has(alert))
        .map((alert) => `${incident.name}: ${alert} is silent`),
      ...rungAlerts
        .filter(({ alert }) => !incident.rings.includes(alert) && !incident.mayRing?.includes(alert))
        .map(({ alert }) => `${incident.name}: ${alert} rang`),
    ],
  };
}

const firing = (alerts: Alert[]): Omit<Rung, 'afterMs'>[] =>
  alerts
    .filter(({ state, labels }) => state === 'firing' && labels['severity'] !== 'none')
    .map(({ labels }) => ({ alert: labels['alertname'] ?? '', severity: labels['severity'] ?? '' }));
