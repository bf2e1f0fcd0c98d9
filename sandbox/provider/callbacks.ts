// PATCH of a callback address, which is the same for every resource.
import { changedAt } from '../faults/changes.ts';
import type { ResourceRow } from '../store/rows.ts';
import type { World } from '../world.ts';
import type { Schemas } from './operation.ts';

const STATEMENT = {
  owners: 'update owners set callback_url = ?, updated_at = ? where uuid = ?',
  accounts: 'update accounts set callback_url = ?, updated_at = ? where uuid = ?',
  transfers: 'update transfers set callback_url = ?, updated_at = ? where uuid = ?',
  payouts: 'update payouts set callback_url = ?, updated_at = ? where uuid = ?',
};

/** Sets the address. The row must exist. */
export function setCallbackUrl(
  world: World,
  table: keyof typeof STATEMENT,
  row: ResourceRow,
  { callback_url }: Schemas['CallbackUpdate'],
): void {
  if (row.callback_url === callback_url) return;
  world.store.run(STATEMENT[table], callback_url, changedAt(world, row), row.uuid);
}
