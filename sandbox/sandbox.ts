// Assembles the simulated provider from the store, settlement, callbacks and HTTP, and starts and stops them together.
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createCallbackLog } from './callback-log.ts';
import { createCallbackDispatcher } from './callbacks.ts';
import { createClock } from './clock.ts';
import type { SandboxContext } from './context.ts';
import { createFaultInjection } from './faults/fault-injection.ts';
import { createLateRequests } from './faults/late.ts';
import { createSeams } from './faults/seams.ts';
import { DEFAULTS, type SandboxOptions } from './options.ts';
import { createListener } from './server.ts';
import { createSettlement } from './settle.ts';
import { openStore } from './store/store.ts';

export interface Sandbox {
  /** The sandbox's address, without a trailing slash. */
  url: string;
  username: string;
  password: string;
  companyId: string;
  /** Stops within two seconds. Everything unfinished continues at the next start on the same data. */
  close(): Promise<void>;
}

const PATIENCE_MS = 1500;

/** Longer than clients keep a connection, so that none is closed while a request is in flight. */
const KEEP_ALIVE_MS = 75_000;

/** Starts a sandbox in this process. Without options it keeps nothing and takes a free port. */
export async function startSandbox(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  const settings: SandboxOptions = { ...DEFAULTS, port: 0, data: ':memory:', ...options };
  const { promise: ready, resolve: open } = Promise.withResolvers<RequestListener>();
  // Early requests wait: the address must be known before the application can be built.
  let listener: RequestListener = (request, response) =>
    void ready.then((opened) => opened(request, response));
  const server = createServer((request, response) => listener(request, response));
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  const url = await listen(server, settings);

  const store = openStore(settings.data);
  const clock = createClock(store, settings.now);
  const context: SandboxContext = {
    options: settings,
    store,
    faultInjection: createFaultInjection(store),
    seams: createSeams(() => context),
    callbackLog: createCallbackLog(),
    baseUrl: settings.baseUrl ?? url,
    now: clock.now,
    clock,
    wake: {
      settlement: (dueAt) => settlement.wake(dueAt),
      callbacks: (dueAt) => dispatcher.wake(dueAt),
      lateRequests: (dueAt) => lateRequests.wake(dueAt),
    },
  };
  const settlement = createSettlement(clock.now, () => context);
  const lateRequests = createLateRequests(clock.now, () => context);
  const dispatcher = createCallbackDispatcher(clock.now, () => context);
  listener = await createListener(context);
  open(listener);

  for (const wake of Object.values(context.wake)) wake(context.now());

  return {
    url,
    username: settings.username,
    password: settings.password,
    companyId: settings.companyId,
    async close() {
      settlement.stop();
      lateRequests.stop();
      await Promise.all([stopListening(server), dispatcher.stop()]);
      context.store.close();
    },
  };
}

function listen(server: Server, { port, host }: Pick<SandboxOptions, 'port' | 'host'>): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host ?? undefined, () =>
      resolve(`http://localhost:${(server.address() as AddressInfo).port}`),
    );
  });
}

/** Lets requests finish, then closes the remaining connections. */
function stopListening(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), PATIENCE_MS);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}
