// Shows this process's open circuits to operators: a log line when one opens and when it closes, and while any is open a row of
// `open_circuits` with a heartbeat.
import { hostname } from 'node:os';
import type { Clock } from '../domain/clock.ts';
import type { Log } from '../domain/log.ts';
import { deleteOpenCircuits, keepOpenCircuit } from '../tables/open-circuits/statements.ts';
import type { Db } from '../tables/orm.ts';

const HEARTBEAT_EVERY_MS = 10_000;
/** A row without a heartbeat for this long belongs to a process that died while a circuit was open. */
const STALE_MS = 60_000;

export type CircuitNotice = {
  opened: (circuit: string, reason: string) => void;
  closed: (circuit: string) => void;
  /** Removes the row of the open circuits. Call it when the process stops. */
  stop: () => Promise<void>;
};

export function createCircuitNotice({ db, log, clock }: { db: Db; log: Log; clock: Clock }): CircuitNotice {
  const process = nameOfProcess();
  /** The reasons of the open circuits. */
  const open = new Map<string, string>();
  let openedAt = clock.now();
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
          'the row of the open circuits could not be written',
        ),
      );
  };

  const show = () =>
    keepOpenCircuit(db, {
      process,
      openedAt,
      heartbeatAt: clock.now(),
      reason: [...open].map(([circuit, reason]) => `${circuit} (${reason})`).join('; '),
    });

  const remove = () =>
    deleteOpenCircuits(db, { process, staleSince: new Date(clock.now().getTime() - STALE_MS) });

  const end = (): void => {
    if (heartbeat === null) return;
    clearInterval(heartbeat);
    heartbeat = null;
    write(remove);
  };

  return {
    opened: (circuit, reason) => {
      log.error(
        { code: 'provider.circuit_opened', circuit, reason },
        'a circuit to the provider opened: its calls are not sent, except for trials',
      );
      if (open.size === 0) openedAt = clock.now();
      open.set(circuit, reason);
      write(show);
      heartbeat ??= setInterval(() => write(show), HEARTBEAT_EVERY_MS).unref();
    },
    closed: (circuit) => {
      log.info(
        { code: 'provider.circuit_closed', circuit },
        'a circuit to the provider closed: a call was answered',
      );
      open.delete(circuit);
      if (open.size === 0) end();
      else write(show);
    },
    stop: async () => {
      end();
      await written;
    },
  };
}

const nameOfProcess = (): string => `${hostname()}:${globalThis.process.pid}`.slice(-120);
