// Makes a proxy of a database listen.
import type { AddressInfo, Server } from 'node:net';

/**
 * Listens on a free port.
 * @returns the database's address, with the port of the listener.
 */
export async function listenBefore(databaseUrl: string, listener: Server): Promise<string> {
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((listener.address() as AddressInfo).port);
  return url.href;
}
