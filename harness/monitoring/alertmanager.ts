// Starts a real Alertmanager (Debian's package) with the shipped example of its configuration, and counts what it sends to the receiver
// that wakes a person.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { until } from '../people/until.ts';
import { freePort } from '../processes/free-port.ts';
import { ROOT } from '../processes/node-process.ts';

const ALERTMANAGER = '/usr/bin/prometheus-alertmanager';
export const hasAlertmanager = existsSync(ALERTMANAGER);

export type Alertmanager = {
  port: number;
  /** The alerts of each message so far that woke a person. A message that only says that alerts have ended does not count. */
  pages: () => string[][];
  stop: () => Promise<void>;
};

type Receiver = { name: string; webhook_configs?: { url: string }[] };
type Message = { receiver: string; alerts: { status: string; labels: Record<string, string> }[] };

const START_WITHIN_MS = 60_000;
/** The receiver of the example that wakes a person. */
const PAGER = 'pager';

/** Starts an Alertmanager. Only the addresses of the receivers differ from the example. */
export async function startAlertmanager(): Promise<Alertmanager> {
  const pages: string[][] = [];
  const receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      response.end();
      const alerts = firingIn(JSON.parse(body) as Message);
      if (alerts.length > 0) pages.push(alerts);
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;

  const folder = await mkdtemp(join(tmpdir(), 'ponte-alertmanager-'));
  const file = join(folder, 'alertmanager.yaml');
  await writeFile(file, JSON.stringify(exampleTo(receiverUrl)));
  const port = await freePort();
  const server = spawn(
    ALERTMANAGER,
    [
      `--config.file=${file}`,
      `--storage.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--cluster.listen-address=',
    ],
    { stdio: 'ignore' },
  );
  const ended = once(server, 'exit');
  await until(
    () => fetch(`http://127.0.0.1:${port}/-/ready`).catch(() => null),
    (response) => response?.ok === true,
    START_WITHIN_MS,
  );
  return {
    port,
    pages: () => [...pages],
    stop: async () => {
      server.kill();
      await ended;
      receiver.close();
      receiver.closeAllConnections();
      await rm(folder, { recursive: true });
    },
  };
}

function exampleTo(url: string): object {
  const text = readFileSync(join(ROOT, 'deploy/prometheus/alertmanager.example.yaml'), 'utf8');
  const example = parse(text) as { receivers: Receiver[] };
  const receivers = example.receivers.map(({ name, webhook_configs: hooks }) => ({
    name,
    ...(hooks && { webhook_configs: hooks.map((hook) => ({ ...hook, url })) }),
  }));
  return { ...example, receivers };
}

const firingIn = ({ receiver, alerts }: Message): string[] =>
  receiver === PAGER
    ? alerts.flatMap(({ status, labels }) => (status === 'firing' ? [labels['alertname'] ?? ''] : []))
    : [];
