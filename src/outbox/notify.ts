// A process that serves only the API notifies the others that work is due. The notification only saves time: every process with an
// engine looks for due work once a second.
import type { Db } from '../tables/orm.ts';
import { notifyOfWork } from '../tables/processes/statements.ts';
import type { HandOffTarget } from './hand-off.ts';

/** Commits within this time share one notification. */
const COALESCE_MS = 50;

/** The hand-off target of a process without an engine. It notifies after the commit, because NOTIFY in a transaction takes a global lock. */
export function createNotifier(db: Db): HandOffTarget {
  let timer: NodeJS.Timeout | null = null;
  const notify = (): void => {
    timer = null;
    notifyOfWork(db, {}).catch(() => undefined);
  };
  return {
    lease: () => null,
    committed: (_works, overflow) => {
      if (overflow > 0) timer ??= setTimeout(notify, COALESCE_MS).unref();
    },
    failed: () => undefined,
    waits: () => [],
    heldUp: () => [],
  };
}
