// Debian's `haproxy` in front of the service, as operators run one: it does not buffer bodies, and forwards the client's address.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../harness/processes/free-port.ts';

export type Proxy = { url: string; stop: () => Promise<void> };

/**
 * @param folder where its configuration is written.
 * @param serviceUrl the service, which must trust this machine's address as a proxy.
 */
export async function startHaproxy(folder: string, serviceUrl: string): Promise<Proxy> {
  const port = await freePort();
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, configuration(port, new URL(serviceUrl).port));
  const haproxy = spawn('haproxy', ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(haproxy, 'exit').then(
    () => Promise.reject(new Error('haproxy ended before it listened')),
    (cause: unknown) => Promise.reject(new Error('install Debian’s package `haproxy`', { cause })),
  );
  await Promise.race([listening(port), ended]);
  ended.catch(() => undefined);
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      haproxy.kill();
      await once(haproxy, 'exit');
    },
  };
}

const configuration = (port: number, servicePort: string): string => `
global
  maxconn 4000
defaults
  mode http
  option forwardfor
  timeout connect 5s
  timeout client 60s
  timeout server 60s
frontend clients
  bind 127.0.0.1:${port}
  default_backend ponte
backend ponte
  server ponte 127.0.0.1:${servicePort}
`;

async function listening(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await pause(50);
  }
}
