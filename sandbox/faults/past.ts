// Former states of rows. While reads may lag, the state before each change is kept for a minute.
import { LAGS } from '../provider/operation.ts';
import type { Store } from '../store/store.ts';
import type { World } from '../world.ts';

const KEPT_MS = 60_000;

/** Whether any read may show a former state, so that states must be kept. */
function keepsPast({ faultInjection }: World): boolean {
  if (faultInjection.isOff()) return false;
  const { provider } = faultInjection.configuration();
  if (LAGS.some((fault) => provider[fault] > 0)) return true;
  return (
    faultInjection.ordered.isAny() &&
    faultInjection.ordered.list().some(({ fault }) => LAGS.some((lag) => lag === fault))
  );
}

/** Keeps the row as it was until now. Null means that there was no row. `read` is called only if the row must be kept. */
export function keepPast(world: World, uuid: string, read: () => object | null): void {
  if (!keepsPast(world)) return;
  const row = read();
  const now = world.now();
  const sql = 'insert into past_states (uuid, until, row) values (?, ?, ?)';
  const { id } = world.store.run(sql, uuid, now, row && JSON.stringify(row));
  if (id % 100 === 0) world.store.run('delete from past_states where until < ?', now - KEPT_MS);
}

/** Returns the row at that time. Null if there was none, `now` if it has not changed since. */
export function rowAt<Row extends { uuid: string }>(store: Store, now: Row, at: number): Row | null {
  const sql = 'select row from past_states where uuid = ? and until > ? order by until, id limit 1';
  const kept = store.get<{ row: string | null }>(sql, now.uuid, at);
  if (!kept) return now;
  return kept.row === null ? null : (JSON.parse(kept.row) as Row);
}

/** Records that the provider answers a write of this resource. */
export function noteAnswered(world: World, uuid: string): void {
  if (!keepsPast(world)) return;
  const sql = `insert into answered_writes (uuid, at) values (?, ?)
    on conflict (uuid) do update set at = excluded.at`;
  world.store.run(sql, uuid, world.now());
}

/** When a write of this resource was last answered. */
export const answeredAt = (store: Store, uuid: string): number =>
  store.get<{ at: number }>('select at from answered_writes where uuid = ?', uuid)?.at ?? 0;
