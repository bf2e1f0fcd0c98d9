// Former states of resources, as a GET showed them. While reads may lag, the state before each change is kept for a minute.
import type { SandboxContext } from '../context.ts';
import type { ProviderFault } from './registry.ts';

/** The three faults of lagging reads. Only `laggingLookup` hides answered writes from a look-up by handle. */
export const LAGS = ['laggingLookup', 'unseenWrite', 'laggingRead'] as const satisfies ProviderFault[];

const KEPT_MS = 60_000;

/** Returns whether any read may show a former state, so that states must be kept. */
function keepsPast({ faultInjection }: SandboxContext): boolean {
  if (faultInjection.isOff()) return false;
  const { provider } = faultInjection.configuration();
  const { requested } = faultInjection;
  return (
    LAGS.some((fault) => provider[fault] > 0) ||
    (requested.isAny() && requested.list().some(({ fault }) => LAGS.some((lag) => lag === fault)))
  );
}

/** Keeps the resource as it was until now. Null means that there was none. `read` is called only if the state must be kept. */
export function keepPast(context: SandboxContext, uuid: string, read: () => object | null): void {
  if (!keepsPast(context)) return;
  const body = read();
  const until = context.now();
  const row = body && JSON.stringify(body);
  const { id } = context.store.insert<{ id: number }>('past_states', { uuid, until, row });
  if (id % 100 === 0) context.store.run('delete from past_states where until < ?', until - KEPT_MS);
}

/** Returns the resource at that time: null if there was none, undefined if it has not changed since. */
export function stateAt({ store }: SandboxContext, uuid: string, at: number): object | null | undefined {
  const sql = 'select row from past_states where uuid = ? and until > ? order by until, id limit 1';
  const kept = store.get<{ row: string | null }>(sql, uuid, at);
  return kept && (JSON.parse(kept.row ?? 'null') as object | null);
}

/** Records that the provider answers a write of this resource. */
export function noteAnswered(context: SandboxContext, uuid: string): void {
  if (!keepsPast(context)) return;
  const sql = `insert into answered_writes (uuid, at) values (?, ?)
    on conflict (uuid) do update set at = excluded.at`;
  context.store.run(sql, uuid, context.now());
}

/** When a write of this resource was last answered. */
export const answeredAt = ({ store }: SandboxContext, uuid: string): number =>
  store.get<{ at: number }>('select at from answered_writes where uuid = ?', uuid)?.at ?? 0;
