// Starts a real Alertmanager (Debian's package) with the shipped example of its configuration, and counts what it sends to the receiver
// that wakes a person.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { parse } from 'yaml';
import { startHttpServer } from '../http-server.ts';
import { until } from '../people/until.ts';
import { freePort } from '../processes/free-port.ts';
import { ROOT } from '../processes/node-process.ts';

const ALERTMANAGER = '/usr/bin/prometheus-alertmanager';
export const hasAlertmanager = existsSync(ALERTMANAGER);

export type Alertmanager = {
  port: number;
  /** The alerts of each message so far that woke a person. A message that only says that alerts have ended does not count. */
  pages: () => string[][];
  /** The alerts that the next message will name: they came after the last one, and no other alert inhibits them. */
  waiting: () => Promise<string[]>;
  /** Returns whether the watchdog's notification has arrived. */
  isWatched: () => boolean;
  stop: () => Promise<void>;
};

type Receiver = { name: string; webhook_configs?: { url: string }[] };
type Message = { receiver: string; alerts: { status: string; labels: Record<string, string> }[] };

const START_WITHIN_MS = 60_000;
/** The receiver of the example that wakes a person. */
const PAGER = 'pager';
const WATCHDOG = 'watchdog';

/** Starts an Alertmanager. Only the addresses of the receivers differ from the example. */
export async function startAlertmanager(): Promise<Alertmanager> {
  const pages: string[][] = [];
  let isWatched = false;
  const receiver = await startHttpServer(async (request, response) => {
    const message = (await json(request)) as Message;
    response.end();
    const alerts = message.receiver === PAGER ? firingIn(message) : [];
    if (alerts.length > 0) pages.push(alerts);
    isWatched ||= message.receiver === WATCHDOG;
  });

  const folder = await mkdtemp(join(tmpdir(), 'ponte-alertmanager-'));
  const file = join(folder, 'alertmanager.yaml');
  await writeFile(file, JSON.stringify(exampleTo(receiver.url)));
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
    waiting: async () => {
      const filter = `receiver=${PAGER}&active=true&silenced=false&inhibited=false`;
      const response = await fetch(`http://127.0.0.1:${port}/api/v2/alerts?${filter}`);
      const alerts = (await response.json()) as Pick<Message['alerts'][number], 'labels'>[];
      const told = new Set(pages.flat());
      return [...new Set(alerts.map(nameOf))].filter((name) => !told.has(name));
    },
    isWatched: () => isWatched,
    stop: async () => {
      server.kill();
      await ended;
      await receiver.stop();
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

const nameOf = ({ labels }: Pick<Message['alerts'][number], 'labels'>): string => labels['alertname'] ?? '';

const firingIn = ({ alerts }: Message): string[] =>
  alerts.filter(({ status }) => status === 'firing').map(nameOf);
