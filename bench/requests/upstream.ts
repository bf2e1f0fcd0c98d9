// The part of the provider that these requests need: every account is active and has enough money.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Upstream = { url: string; stop: () => void };

export async function startUpstream(): Promise<Upstream> {
  const server = createServer((request, response) => {
    const [, uuid = ''] = /^\/v1\/accounts\/([\da-f-]{36})\/$/.exec(request.url ?? '') ?? [];
    const body = JSON.stringify({
      uuid,
      external_id: uuid,
      owner_uuid: uuid,
      currency: 'GBP',
      status: 'ACTIVE',
      balance: '100000000.00',
      deposit_instructions: null,
      updated_at: '2026-11-21T10:00:00.000Z',
    });
    response.writeHead(uuid === '' ? 404 : 200, { 'content-type': 'application/json' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
