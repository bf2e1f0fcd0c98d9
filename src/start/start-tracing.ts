// Starts and stops tracing. The SDK is loaded only if a collector is configured.

import type { Log } from '../domain/log.ts';
import { settledWithin } from '../platform/concurrency/settled-within.ts';
import type { Config } from './config.ts';
import { version } from './version.ts';

/** How long the export of the last spans may delay the end of a process. */
const FLUSH_WITHIN_MS = 3_000;

/** @returns a function that ends tracing. @param withinMs how long it may take at most. */
export type StopTracing = (withinMs: number) => Promise<void>;

/** Starts tracing if the configuration names a collector. A collector that cannot be reached delays nothing. */
export async function startTracing({ tracing }: Pick<Config, 'tracing'>, log: Log): Promise<StopTracing> {
  if (tracing === null) return () => Promise.resolve();
  const { startSdk } = await import('../platform/tracing/sdk.ts');
  const stop = startSdk({
    ...tracing,
    serviceVersion: version,
    failed: (error) =>
      log.warn(
        { code: 'tracing.unexported', error },
        'spans could not be exported: they are dropped until the collector accepts some again',
      ),
    recovered: () => log.info({ code: 'tracing.recovered' }, 'spans are exported again'),
  });
  return async (withinMs) => {
    // A failed export has been logged.
    await settledWithin(Math.min(FLUSH_WITHIN_MS, withinMs), stop());
  };
}
