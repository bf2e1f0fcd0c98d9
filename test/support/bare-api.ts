// The API over HTTP with handlers that a test provides. It has no database and no provider, and every caller is signed in by
// default.
import type { AddressInfo } from 'node:net';
import { type Logger, pino } from 'pino';
import type { Authenticate } from '../../src/api/authenticate.ts';
import { type ByteLimits, createByteBudget } from '../../src/api/byte-budget.ts';
import { createClientAddresses } from '../../src/api/client-address.ts';
import { createConnections } from '../../src/api/connections.ts';
import { createContract } from '../../src/api/contract.ts';
import type { Handlers, OperationId } from '../../src/api/operation.ts';
import type { RequestLimits } from '../../src/api/request-shares.ts';
import { createServer } from '../../src/api/server.ts';
import { createHttpServer } from '../../src/api/timeouts.ts';
import type { App } from '../../src/start/app.ts';
import { handlers } from '../../src/start/operations.ts';
import type { Entity } from '../../src/tables/rows.ts';

type Options = {
  log?: Logger;
  authenticate?: Authenticate;
  limits?: { requests?: RequestLimits; bytes?: ByteLimits; connections?: number };
  trustedProxies?: string[];
  /** Is told of each closed or refused connection, and of an unlisted proxy. */
  noted?: (what: string) => void;
};

/** @param act runs for every operation, with the operation's name. */
export async function startBareApi(
  act: (operation: OperationId) => unknown,
  {
    log = pino({ level: 'silent' }),
    authenticate = async (request) => {
      request.user = { id: '019ab000-0000-7000-8000-000000000001' } as Entity<'User'>;
    },
    limits = {},
    trustedProxies = [],
    noted = () => undefined,
  }: Options = {},
): Promise<{ url: string; heldBytes: () => number; stop: () => Promise<void> }> {
  const auditLog = { refused: () => undefined, missed: () => undefined };
  const config = { corsOrigins: [], bodyLimitBytes: 1_000_000, isBesideSandbox: false };
  const app = { log, auditLog, config } as unknown as App;
  const acting = Object.fromEntries(
    (Object.keys(handlers) as OperationId[]).map((id) => [id, async () => act(id)]),
  ) as unknown as Handlers<App>;
  const contract = await createContract(() => app, acting);
  const addresses = createClientAddresses(trustedProxies, (peer) => noted(`unlisted ${peer}`));
  const connections = createConnections(limits.connections ?? 1_000, addresses, {
    closed: (reason) => noted(`closed ${reason}`),
    refused: () => noted('refused'),
  });
  const callers = { authenticate, gates: {} };
  const client = { addresses, bytes: createByteBudget(limits.bytes) };
  const handle = createServer(app, contract, callers, client, limits.requests);
  const server = createHttpServer(connections.bound(handle));
  connections.watch(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heldBytes: client.bytes.held,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
