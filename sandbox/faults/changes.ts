// Called around every change of an owner, an account, a transfer or a payout. It keeps the previous row for lagging reads, and
// stamps the change with the provider's clock.
import type { Call } from '../provider/operation.ts';
import type { World } from '../world.ts';
import { keepPast } from './past.ts';
import { firstStamp, type Stamped, stampAfter } from './provider-clock.ts';

/**
 * Call it before the row is written.
 * @returns the first `updated_at`.
 */
export function createdAt(world: World, call: Call, uuid: string): number {
  keepPast(world, uuid, () => null);
  return firstStamp(world, call, uuid);
}

/**
 * Call it before the change, with the current row. An account also needs its balance.
 * @returns the next `updated_at`.
 */
export function changedAt(world: World, row: Stamped, balance?: () => number): number {
  keepPast(world, row.uuid, () => (balance === undefined ? row : { ...row, past_balance: balance() }));
  return stampAfter(world, row);
}
