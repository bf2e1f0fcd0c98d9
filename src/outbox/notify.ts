// A process that serves only the API tells the others that work is due. The notification saves time; nothing relies on it,
// because every process that carries out work asks for what is due once a second.
import { sql } from 'kysely';
import type { Db } from '../database/orm.ts';
import type { Carrier } from './transaction.ts';

export const CHANNEL = 'ponte_outbox';
/** Commits within this time are told in one notification. */
const COALESCE_MS = 50;

/** For a process that carries out nothing: what it commits is due, for others. Never within the transaction itself. */
export function createNotifier(db: Db): Carrier {
  let timer: NodeJS.Timeout | null = null;
  const notify = (): void => {
    timer = null;
    sql`select pg_notify(${CHANNEL}, '')`.execute(db).catch(() => undefined);
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
