// A real Prometheus (Debian's package) that scrapes a service and evaluates the shipped rules, unchanged.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort } from '../../harness/processes/free-port.ts';
import { leaveOut } from '../../scripts/unchecked.ts';
import { until } from './until.ts';

const PATH = '/usr/bin/prometheus';
export const hasPrometheus = existsSync(PATH);
if (!hasPrometheus)
  leaveOut('prometheus', `${PATH} does not exist: no Prometheus scrapes the service in these tests.`);

export type Alert = { labels: Record<string, string>; state: 'pending' | 'firing' };
export type Prometheus = {
  alerts: () => Promise<Alert[]>;
  stop: () => Promise<void>;
};

/** Starts a Prometheus that scrapes the metrics port of one process every second, under the job name that the rules expect. */
export async function startPrometheus(metricsPort: number): Promise<Prometheus> {
  const folder = await mkdtemp(join(tmpdir(), 'ponte-prometheus-'));
  const port = await freePort();
  const config = {
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: [resolve('deploy/prometheus/rules.yaml')],
    scrape_configs: [{ job_name: 'ponte', static_configs: [{ targets: [`127.0.0.1:${metricsPort}`] }] }],
  };
  // JSON is YAML.
  await writeFile(join(folder, 'prometheus.yaml'), JSON.stringify(config));
  const server = spawn(
    PATH,
    [
      `--config.file=${join(folder, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  );
  const ended = once(server, 'exit');
  const ask = async (path: string): Promise<Response | null> =>
    fetch(`http://127.0.0.1:${port}${path}`).catch(() => null);
  await until(
    () => ask('/-/ready'),
    (response) => response?.ok === true,
  );
  return {
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
