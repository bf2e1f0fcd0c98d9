// The part of the provider that these requests need: every account is active and has enough money.
import { type HttpServer, startHttpServer } from '../../harness/http-server.ts';

export const startUpstream = (): Promise<HttpServer> =>
  startHttpServer(async (request, response) => {
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
