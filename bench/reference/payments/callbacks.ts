// The provider's callbacks are stored, then acknowledged. Then the resource is fetched and applied.
import { newId } from '../../../src/domain/ids.ts';
import { query } from '../query.ts';
import { applyPayout, applyTransfer } from './progress.ts';
import type { Reference } from './reference.ts';

export type Callback = { event: string; data: { uuid: string; status?: string }; updated_at: string };

/** @returns the callback's id once it is committed, or null if it was stored before. */
export async function storeCallback({ db }: Reference, callback: Callback): Promise<string | null> {
  const { event, data, updated_at } = callback;
  const isFollowed = event in followers;
  const { rows } = await query(
    db,
    `insert into callbacks (id, identity, event_type, payload, received_at, status)
     values ($1, $2, $3, $4, $5, $6) on conflict (identity) do nothing returning id`,
    [
      newId(),
      `${event}:${data.uuid}:${updated_at}`,
      event,
      JSON.stringify(callback),
      new Date(),
      isFollowed ? 'received' : 'ignored',
    ],
  );
  return rows[0] ? String(rows[0]['id']) : null;
}

/** Fetches the resource and applies it, because the callback's content is not trusted. */
export async function followCallback(
  reference: Reference,
  id: string,
  { event, data }: Callback,
): Promise<void> {
  await followers[event]?.(reference, data.uuid, id);
}

const followers: Record<string, (reference: Reference, uuid: string, callbackId: string) => Promise<void>> = {
  'internal_transfer.updated': async (reference, uuid, callbackId) =>
    applyTransfer(reference, await reference.provider.getTransfer(uuid), callbackId),
  'payout.updated': async (reference, uuid, callbackId) =>
    applyPayout(reference, await reference.provider.getPayout(uuid), callbackId),
};
