// Starts a real Prometheus (Debian's package) that scrapes processes of the service and evaluates the shipped rules, unchanged.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../people/until.ts';
import { freePort } from '../processes/free-port.ts';
import { ROOT } from '../processes/node-process.ts';

export const PROMETHEUS = '/usr/bin/prometheus';
export const hasPrometheus = existsSync(PROMETHEUS);

/** `activeAt` is the time at which the alert became pending. */
export type Alert = { labels: Record<string, string>; state: 'pending' | 'firing'; activeAt: string };

/** In seconds since 1970. */
export type Span = { from: number; until: number; stepSeconds: number };
export type Series = { metric: Record<string, string>; values: [at: number, value: string][] };

export type Prometheus = {
  url: string;
  alerts: () => Promise<Alert[]>;
  /** The values of an expression at each step of a span. */
  range: (expression: string, span: Span) => Promise<Series[]>;
  stop: () => Promise<void>;
};

type Options = {
  /** The metrics ports of the processes, on this machine. */
  metricsPorts: number[];
  /** How often it scrapes and evaluates, in seconds. */
  everySeconds?: number;
  /** The port of an Alertmanager on this machine that receives the alerts. */
  alertmanagerPort?: number;
  /** A folder with the data of the past. It is kept. By default, Prometheus starts with an empty database. */
  dataFolder?: string;
  /** False for one that only answers queries: it would write what the rules say now into the data. */
  evaluates?: boolean;
};

const START_WITHIN_MS = 60_000;

/** Starts a Prometheus. The job has the name that the rules expect. */
export async function startPrometheus({
  metricsPorts,
  everySeconds = 1,
  alertmanagerPort,
  dataFolder,
  evaluates = true,
}: Options): Promise<Prometheus> {
  const folder = await mkdtemp(join(tmpdir(), 'ponte-prometheus-'));
  const url = `http://127.0.0.1:${await freePort()}`;
  const every = `${everySeconds}s`;
  const targets = metricsPorts.map((port) => `127.0.0.1:${port}`);
  const config = {
    global: { scrape_interval: every, scrape_timeout: every, evaluation_interval: every },
    rule_files: evaluates ? [join(ROOT, 'deploy/prometheus/rules.yaml')] : [],
    scrape_configs: [{ job_name: 'ponte', static_configs: [{ targets }] }],
    ...(alertmanagerPort !== undefined && {
      alerting: {
        alertmanagers: [{ static_configs: [{ targets: [`127.0.0.1:${alertmanagerPort}`] }] }],
      },
    }),
  };
  const file = join(folder, 'prometheus.yaml');
  // JSON is YAML.
  await writeFile(file, JSON.stringify(config));
  const server = spawn(
    PROMETHEUS,
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${dataFolder ?? join(folder, 'data')}`,
      // An alert whose condition held before the start is as old as the data say.
      '--rules.alert.for-grace-period=0s',
      `--web.listen-address=${new URL(url).host}`,
    ],
    { stdio: 'ignore' },
  );
  const ended = once(server, 'exit');
  const ask = (path: string): Promise<Response | null> => fetch(`${url}${path}`).catch(() => null);
  const dataOf = async <Data>(path: string): Promise<Data> => {
    const response = await ask(path);
    const answer = (await response?.json()) as { data?: Data; error?: string } | undefined;
    if (answer?.data === undefined) throw new Error(`Prometheus answered ${path}: ${answer?.error}`);
    return answer.data;
  };
  await until(
    () => ask('/-/ready'),
    (response) => response?.ok === true,
    START_WITHIN_MS,
  );
  return {
    url,
    alerts: async () => (await dataOf<{ alerts: Alert[] }>('/api/v1/alerts')).alerts,
    range: async (expression, { from, until: to, stepSeconds }) => {
      const parameters = new URLSearchParams({
        query: expression,
        start: String(from),
        end: String(to),
        step: String(stepSeconds),
      });
      return (await dataOf<{ result: Series[] }>(`/api/v1/query_range?${parameters.toString()}`)).result;
    },
    stop: async () => {
      server.kill();
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}
