// The path to the provider without a service: the sandbox, the proxy that spoils calls, and the client.

import { sandboxSettings } from '../../harness/stack/settings.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';
import type { CallOptions } from '../../src/provider/call-policy.ts';
import { connectProvider } from '../../src/provider/client.ts';
import { OutcomeUnknown } from '../../src/provider/errors.ts';
import type { Provider, ProviderConnection } from '../../src/provider/port.ts';
import { readWire, type WireOperation } from '../../src/provider/wire.ts';
import { type Fault, startUpstreamProxy, type UpstreamProxy } from '../support/upstream-proxy.ts';

/** Short enough to wait for, and long enough for a busy machine. */
const TIMEOUT_MS = 4_000;

export type Way = {
  connection: ProviderConnection;
  /** The interactive calls of no user. */
  provider: Provider;
  proxy: UpstreamProxy;
  /** The observations in order, for example `findOwners answered` and `opened findPayouts`. */
  seen: string[];
  close: () => Promise<void>;
};

type WayOptions = Partial<Pick<CallOptions, 'concurrency' | 'timeoutMs' | 'interactiveTimeoutMs'>>;

async function startWay(options: WayOptions): Promise<Way> {
  const sandbox = await startSandbox({ settleMs: 0, activateMs: 0, log: () => undefined });
  const proxy = await startUpstreamProxy(sandbox.url);
  const settings = sandboxSettings(proxy.url);
  const seen: string[] = [];
  const connection = connectProvider({
    baseUrl: settings.PROVIDER_BASE_URL,
    username: settings.PROVIDER_USERNAME,
    passwords: [settings.PROVIDER_PASSWORD],
    companyId: settings.PROVIDER_COMPANY_ID,
    concurrency: 8,
    timeoutMs: TIMEOUT_MS,
    interactiveWaitMs: TIMEOUT_MS / 2,
    interactiveTimeoutMs: TIMEOUT_MS,
    ...options,
    callbackUrl: 'http://127.0.0.1:9/',
    observer: {
      called: (operation, outcome) => seen.push(`${operation} ${outcome}`),
      opened: (circuit) => seen.push(`opened ${circuit}`),
      closed: (circuit) => seen.push(`closed ${circuit}`),
    },
  });
  return {
    connection,
    provider: connection.for({ priority: 'interactive', userId: null }),
    proxy,
    seen,
    close: async () => {
      await connection.close();
      await proxy.close();
      await sandbox.close();
    },
  };
}

/** Runs a test with its own sandbox, proxy and client, so that tests that mostly wait can run concurrently. */
export const onTheWay =
  <Rest extends unknown[]>(story: (way: Way, ...rest: Rest) => Promise<void>, options: WayOptions = {}) =>
  async (...rest: Rest): Promise<void> => {
    const way = await startWay(options);
    try {
      await story(way, ...rest);
    } finally {
      await way.close();
    }
  };

/** Looks up something that does not exist, which is a read that needs no set-up. */
export const lookAs = {
  interactive: ({ connection }: Way, handle = 'nobody', userId: string | null = null) =>
    connection.for({ priority: 'interactive', userId }).findPayout(handle),
  background: ({ connection }: Way, handle = 'nobody', userId: string | null = null) =>
    connection.for({ priority: 'background', userId }).findPayout(handle),
};

/** Makes every call of an operation fail in this way until the returned function heals it. */
export function spoilOne({ proxy }: Way, operation: WireOperation, spoilt: Fault['spoilt']): () => void {
  const fault = proxy.spoil({ operation, spoilt, forwarded: false, times: Number.POSITIVE_INFINITY });
  return () => fault.heal();
}

/** Makes every call fail in this way until the returned function heals it, including the probes. */
export function spoilAll(way: Way, spoilt: Fault['spoilt']): () => void {
  const healed = [...readWire().keys()].map((operation) => spoilOne(way, operation, spoilt));
  return () => {
    for (const heal of healed) heal();
  };
}

/** Describes how a call ended: `done`, `unknown` if it was sent, `unsent` if it was not. */
export const endOf = (call: Promise<unknown>): Promise<'done' | 'unknown' | 'unsent'> =>
  call.then(
    () => 'done' as const,
    (error: unknown) => {
      if (!(error instanceof OutcomeUnknown)) throw error;
      return error.sent ? ('unknown' as const) : ('unsent' as const);
    },
  );
