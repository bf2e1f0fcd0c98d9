// A process that serves only the API tells the others that work is due. The notification saves time; nothing relies on it,
// because every process that carries out work asks for what is due once a second.
import type { Db } from '../database/orm.ts';
import { notifyOfWork } from '../sql/processes.ts';
import type { Carrier } from './transaction.ts';

/** Commits within this time are told in one notification. */
const COALESCE_MS = 50;

/** For a process that carries out nothing: what it commits is due, for others. Never within the transaction itself. */
export function createNotifier(db: Db): Carrier {
  let timer: NodeJS.Timeout | null = null;
  const notify = (): void => {
    timer = null;
    notifyOfWork(db, {}).catch(() => undefined);
  };
  return {
    lease: () => null,
    committed: (_works, left) => {
      if (left > 0) timer ??= setTimeout(notify, COALESCE_MS).unref();
    },
    failed: () => undefined,
    waits: () => [],
  };
}
