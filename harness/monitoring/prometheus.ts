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

export type Prometheus = {
  url: string;
  alerts: () => Promise<Alert[]>;
  stop: () => Promise<void>;
};

type Options = {
  /** The metrics ports of the processes, on this machine. */
  metricsPorts: number[];
  /** How often it scrapes and evaluates, in seconds. */
  everySeconds?: number;
  /** The port of an Alertmanager on this machine that receives the alerts. */
  alertmanagerPort?: number;
};

const START_WITHIN_MS = 60_000;

/** Starts a Prometheus with an empty database. The job has the name that the rules expect. */
export async function startPrometheus({
  metricsPorts,
  everySeconds = 1,
  alertmanagerPort,
}: Options): Promise<Prometheus> {
  const folder = await mkdtemp(join(tmpdir(), 'ponte-prometheus-'));
  const url = `http://127.0.0.1:${await freePort()}`;
  const every = `${everySeconds}s`;
  const targets = metricsPorts.map((port) => `127.0.0.1:${port}`);
  const config = {
    global: { scrape_interval: every, scrape_timeout: every, evaluation_interval: every },
    rule_files: [join(ROOT, 'deploy/prometheus/rules.yaml')],
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
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=${new URL(url).host}`,
    ],
    { stdio: 'ignore' },
  );
  const ended = once(server, 'exit');
  const ask = (path: string): Promise<Response | null> => fetch(`${url}${path}`).catch(() => null);
  await until(
    () => ask('/-/ready'),
    (response) => response?.ok === true,
    START_WITHIN_MS,
  );
  return {
    url,
    alerts: async () => {
      const response = await ask('/api/v1/alerts');
      const answer = (await response?.json()) as { data: { alerts: Alert[] } };
      return answer.data.alerts;
    },
    stop: async () => {
      server.kill();
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}
