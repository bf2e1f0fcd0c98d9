// Finds the page of the resource that has a uuid or a handle.
import type { World } from '../world.ts';

const HANDLES = [
  ['owners', 'external_id'],
  ['accounts', 'external_id'],
  ['transfers', 'origin_id'],
  ['payouts', 'origin_id'],
] as const;

/** Returns undefined if no resource has it. Returns the first of several twins. */
export function addressOf({ store }: World, text: string): string | undefined {
  const wanted = text.trim();
  for (const [table, handle] of HANDLES) {
    const row = store.get<{ uuid: string }>(
      `select uuid from ${table} where uuid = ? or ${handle} = ? order by seq limit 1`,
      wanted.toLowerCase(),
      wanted,
    );
    if (row) return `/console/${table}/${row.uuid}`;
  }
  const movement = store.get('select 1 from movements where uuid = ?', wanted.toLowerCase());
  return movement === undefined ? undefined : `/console/movements/${wanted.toLowerCase()}`;
}
