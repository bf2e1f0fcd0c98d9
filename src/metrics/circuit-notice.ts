// Shows this process's circuit to operators: a log line when it opens and when it closes, and between them a row of
// `open_circuits` with a heartbeat.
import { hostname } from 'node:os';
import type { Clock } from '../domain/clock.ts';
import type { Log } from '../domain/log.ts';
import type { Db } from '../platform/database/orm.ts';
import { deleteOpenCircuits, keepOpenCircuit } from '../platform/sql/open-circuits.ts';

const HEARTBEAT_EVERY_MS = 10_000;
/** A row without a heartbeat for this long belongs to a process that died while its circuit was open. */
const STALE_MS = 60_000;

export type CircuitNotice = {
  opened: (reason: string) => void;
  closed: () => void;
  /** Removes the row of an open circuit. Call it when the process stops. */
  stop: () => Promise<void>;
};

export function createCircuitNotice({ db, log, clock }: { db: Db; log: Log; clock: Clock }): CircuitNotice {
  const process = nameOfProcess();
  let heartbeat: NodeJS.Timeout | null = null;
  let written = Promise.resolve();
  // Writes run one after the other, so that a late "open" cannot overwrite its "closed".
  const write = (statement: () => Promise<unknown>): void => {
    written = written
      .then(statement)
      .then(() => undefined)
      .catch((error: unknown) =>
        log.warn(
          { code: 'provider.circuit_unshown', error },
          'the row of the open circuit could not be written',
        ),
      );
  };

  const show = (openedAt: Date, reason: string) => () =>
    keepOpenCircuit(db, { process, openedAt, heartbeatAt: clock.now(), reason });

  const remove = () =>
    deleteOpenCircuits(db, { process, staleSince: new Date(clock.now().getTime() - STALE_MS) });

  const end = (): void => {
    if (heartbeat === null) return;
    clearInterval(heartbeat);
    heartbeat = null;
    write(remove);
  };

  return {
    opened: (reason) => {
      log.error(
        { code: 'provider.circuit_opened', reason },
        'the circuit to the provider opened: no call is sent until a probe is answered',
      );
      const notice = show(clock.now(), reason);
      write(notice);
      heartbeat = setInterval(() => write(notice), HEARTBEAT_EVERY_MS).unref();
    },
    closed: () => {
      log.info(
        { code: 'provider.circuit_closed' },
        'the circuit to the provider closed: a probe was answered',
      );
      end();
    },
    stop: async () => {
      end();
      await written;
    },
  };
}

const nameOfProcess = (): string => `${hostname()}:${globalThis.process.pid}`.slice(-120);
