// When this process stops asking the provider, it says so: once in the log, and in a row for all to see that is kept fresh
// for as long as it lasts.
import { hostname } from 'node:os';
import type { Db } from '../database/orm.ts';
import type { Log } from '../logging/log.ts';
import type { Clock } from '../time/clock.ts';

const FRESHEN_EVERY_MS = 10_000;
/** Left behind by a process that died with its circuit open. */
const STALE_MS = 60_000;

export type CircuitNotice = {
  opened: (reason: string) => void;
  closed: () => void;
  /** For the end of the process. */
  stop: () => Promise<void>;
};

export function createCircuitNotice({ db, log, clock }: { db: Db; log: Log; clock: Clock }): CircuitNotice {
  const process = nameOfProcess();
  let freshening: NodeJS.Timeout | null = null;
  let written = Promise.resolve();
  // One after the other: a late "open" must not outlast its "closed".
  const write = (statement: () => Promise<unknown>): void => {
    written = written
      .then(statement)
      .then(() => undefined)
      .catch((error: unknown) => log.warn({ error }, 'the open circuit could not be shown'));
  };

  const show = (openedAt: Date, reason: string) => async () => {
    const heartbeat_at = clock.now();
    await db
      .insertInto('open_circuits')
      .values({ process, opened_at: openedAt, heartbeat_at, reason })
      .onConflict((conflict) =>
        conflict.column('process').doUpdateSet({ opened_at: openedAt, heartbeat_at, reason }),
      )
      .execute();
  };

  const takeDown = () =>
    db
      .deleteFrom('open_circuits')
      .where((is) =>
        is.or([
          is('process', '=', process),
          is('heartbeat_at', '<', new Date(clock.now().getTime() - STALE_MS)),
        ]),
      )
      .execute();

  const end = (): void => {
    if (freshening === null) return;
    clearInterval(freshening);
    freshening = null;
    write(takeDown);
  };

  return {
    opened: (reason) => {
      log.error({ reason }, 'the provider is out of reach: nothing is sent until it answers a look');
      const notice = show(clock.now(), reason);
      write(notice);
      freshening = setInterval(() => write(notice), FRESHEN_EVERY_MS).unref();
    },
    closed: () => {
      log.info('the provider answers again');
      end();
    },
    stop: async () => {
      end();
      await written;
    },
  };
}

const nameOfProcess = (): string => `${hostname()}:${globalThis.process.pid}`.slice(-120);
