// The API over HTTP with handlers that a test provides. It has no database and no provider, and every caller is signed in by
// default.
import type { AddressInfo } from 'node:net';
import { type Logger, pino } from 'pino';
import type { Authenticate } from '../../src/api/authenticate.ts';
import { createContract } from '../../src/api/contract.ts';
import type { Handlers, OperationId } from '../../src/api/operation.ts';
import { createServer } from '../../src/api/server.ts';
import { createHttpServer } from '../../src/api/timeouts.ts';
import type { Entity } from '../../src/platform/database/entities/rows.ts';
import type { App } from '../../src/start/app.ts';
import { handlers } from '../../src/start/operations.ts';

type Options = { log?: Logger; authenticate?: Authenticate; limits?: Parameters<typeof createServer>[3] };

/** @param act runs for every operation, with the operation's name. */
export async function startBareApi(
  act: (operation: OperationId) => unknown,
  {
    log = pino({ level: 'silent' }),
    authenticate = async (request) => {
      request.user = { id: '019ab000-0000-7000-8000-000000000001' } as Entity<'User'>;
    },
    limits = {},
  }: Options = {},
): Promise<{ url: string; stop: () => Promise<void> }> {
  const auditLog = { refused: () => undefined, missed: () => undefined };
  const config = { corsOrigins: [], bodyLimitBytes: 1_000_000 };
  const app = { log, auditLog, config } as unknown as App;
  const acting = Object.fromEntries(
    (Object.keys(handlers) as OperationId[]).map((id) => [id, async () => act(id)]),
  ) as unknown as Handlers<App>;
  const contract = await createContract(app, acting);
  const server = createHttpServer(createServer(app, contract, { authenticate, gates: {} }, limits));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
