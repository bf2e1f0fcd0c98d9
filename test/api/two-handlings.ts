// Sends the same request to two servers of one app: one handles it as the service does, the other leaves it to openapi-backend.
import { createServer as createHttpServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAuthenticate } from '../../src/api/authenticate.ts';
import { createByteBudget } from '../../src/api/byte-budget.ts';
import { createClientAddresses } from '../../src/api/client-address.ts';
import { type Contract, createContract } from '../../src/api/contract.ts';
import type { Handlers } from '../../src/api/operation.ts';
import { createServer } from '../../src/api/server.ts';
import { Refusal } from '../../src/domain/refusals.ts';
import { type App, type CallerServices, servicesFor } from '../../src/start/app.ts';
import { createGates, handlers } from '../../src/start/operations.ts';
import { exchange } from '../api-security/raw.ts';
import { createPlainContract } from './plain-contract.ts';

export type SentRequest = {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer | undefined;
};
/** An answer, and the input that the handler received if it was called. */
export type HandledRequest = { status: number; headers: [string, string][]; text: string; inputs: unknown[] };

export type TwoHandlings = {
  both: (request: SentRequest) => Promise<{ ours: HandledRequest; plain: HandledRequest }>;
  stop: () => void;
};

/**
 * Starts the two servers.
 * @param isNoting whether handlers only record their input and refuse the request.
 */
export async function startTwoHandlings(app: App, isNoting: boolean): Promise<TwoHandlings> {
  const inputs: unknown[] = [];
  const by = isNoting ? notingHandlers(inputs) : handlers;
  const [ours, plain] = [
    await listen(app, await createContract((caller) => servicesFor(app, caller), by)),
    await listen(app, await createPlainContract(app, by)),
  ];
  const ask = async ({ url }: Listening, request: SentRequest): Promise<HandledRequest> => {
    inputs.splice(0);
    const { method, path, body } = request;
    const { status, headers, text } = await exchange({ url }, method, path, {
      headers: headersOf(request),
      ...(body !== undefined && { body }),
    });
    return { status, headers: headers.filter(isCompared), text, inputs: [...inputs] };
  };
  return {
    both: async (request) => ({ ours: await ask(ours, request), plain: await ask(plain, request) }),
    stop: () => {
      ours.stop();
      plain.stop();
    },
  };
}

const headersOf = ({ headers, body }: SentRequest): Record<string, string> => ({
  'x-request-id': 'the-same',
  ...(body !== undefined && {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
  }),
  ...headers,
});

/** The service computes `Allow` itself. test/api-security/methods.test.ts tries it. */
const isCompared = ([name]: [string, string]): boolean => !['date', 'allow'].includes(name.toLowerCase());

/** The input of a handler. The id differs for each request. */
type Noted = { user?: { id: string }; rows?: unknown; requestId: string };

const notingHandlers = (inputs: unknown[]): Handlers<CallerServices<'interactive'>> =>
  Object.fromEntries(
    Object.entries(handlers).map(([id, handle]) => {
      const note = async ({ user, rows: _rows, requestId: _id, ...request }: Noted) => {
        inputs.push({ id, user: user?.id, ...request });
        throw new Refusal('not_retryable');
      };
      return [id, Object.assign(note, 'rowsOf' in handle && { rowsOf: handle.rowsOf })];
    }),
  ) as unknown as Handlers<CallerServices<'interactive'>>;

type Listening = { url: string; stop: () => void };

async function listen(app: App, contract: Contract): Promise<Listening> {
  const callers = { authenticate: createAuthenticate(app), gates: createGates(app) };
  const client = { addresses: createClientAddresses([], () => undefined), bytes: createByteBudget() };
  const handle = createServer(app, contract, callers, client);
  const server: Server = createHttpServer(handle).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
