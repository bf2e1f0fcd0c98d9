// Exports what clients hold of this process at the moment. It is read when the metrics are scraped.
import { Gauge, type Registry } from 'prom-client';

export function addClientGauges(
  registry: Registry,
  held: { connections: () => number; bytes: () => number },
): void {
  const add = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  add('ponte_client_connections', 'Connections of clients that are open.', held.connections);
  add(
    'ponte_client_bytes',
    'Bytes of unfinished bodies beyond 64 KiB a connection, and of responses that clients have not read.',
    held.bytes,
  );
}
