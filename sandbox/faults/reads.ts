// Lagging reads: they show a former state. By the contract, a look-up by handle shows every write that was answered before it,
// unless `laggingLookup` breaks this.
import { type Call, handleOf, LAGS, type Lag, type Past } from '../provider/operation.ts';
import { refuse } from '../provider/refusal.ts';
import type { World } from '../world.ts';
import { CATALOGUE } from './catalogue.ts';
import { type Occurrence, recordInjected, shouldInject } from './occurrence.ts';
import { answeredAt, rowAt } from './past.ts';

interface Row {
  uuid: string;
  origin_id?: string;
  external_id?: string;
}

/** Decides the age of the state that a read shows. Call it outside the read's transaction, which a 404 rolls back. */
export function pastOf(world: World, call: Call): Past | undefined {
  for (const fault of LAGS) {
    if (!CATALOGUE[fault].operations.includes(call.operation)) continue;
    if (fault === 'unseenWrite' && !isLookup(call)) continue;
    const occurrence = shouldInject(world, fault, call);
    if (occurrence) return { at: world.now() - lagMsOf(world, fault, occurrence), fault, missed: [] };
  }
  return undefined;
}

function lagMsOf(world: World, fault: Lag, { details, how }: Occurrence): number {
  const measure = fault === 'unseenWrite' ? 'unseenForMs' : 'lagMs';
  return Number(details[measure] ?? Math.ceil(how * world.faultInjection.configuration().provider[measure]));
}

/** Records what the read missed. A read that missed nothing counts as correct. */
export function recordMissed(world: World, { operation }: Call, { at, fault, missed }: Past): void {
  for (const about of missed) recordInjected(world, fault, about, { operation, lag_ms: world.now() - at });
}

/**
 * Returns one resource as this read shows it.
 * @throws 404 if it did not exist at that time.
 */
export function shownOne<One extends Row>(world: World, call: Call, row: One): One {
  const [shown] = shownAll(world, call, [row]);
  if (!shown) throw refuse('not_found', 'no such resource');
  return shown;
}

/** Returns resources as this read shows them, without those that did not exist yet. */
export function shownAll<One extends Row>(world: World, call: Call, rows: One[]): One[] {
  const { past } = call;
  if (!past) return rows;
  const showsAnswered = isLookup(call) && past.fault !== 'laggingLookup';
  return rows.flatMap((row) => {
    const least = showsAnswered ? answeredAt(world.store, row.uuid) : 0;
    const shown = rowAt(world.store, row, Math.max(past.at, least));
    if (shown !== row)
      past.missed.push({ uuid: row.uuid, originId: row.origin_id ?? row.external_id ?? null });
    return shown ?? [];
  });
}

/** Whether the read requests one handle instead of a list. */
const isLookup = (call: Call): boolean => handleOf(call) !== null;
