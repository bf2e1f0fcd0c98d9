// Makes a twin on demand: the creation is repeated, as if its handle were new.
import { handlers } from '../provider/index.ts';
import type { Call, Operation, Reply } from '../provider/operation.ts';
import { refuse } from '../provider/refusal.ts';
import type { World } from '../world.ts';

const CREATIONS = [
  ['payouts', 'createPayout'],
  ['transfers', 'createInternalTransfer'],
  ['accounts', 'createAccount'],
  ['owners', 'createOwner'],
] as const;

/** @returns the creation's reply, or 404 for an unknown uuid. */
export function makeTwin(world: World, uuid: string): Reply {
  for (const [table, operation] of CREATIONS) {
    const sql = `select content, callback_url from ${table} where uuid = ?`;
    const first = world.store.get<{ content: string; callback_url: string | null }>(sql, uuid.toLowerCase());
    if (!first) continue;
    const { content, callback_url } = first;
    const body = { ...JSON.parse(content), ...(callback_url !== null && { callback_url }) } as object;
    const handle: Operation = handlers[operation];
    const twin = { isForced: true, isUnfunded: true, faultId: null };
    return handle(world, { operation, params: {}, query: {}, body, twin } as unknown as Call<never>);
  }
  throw refuse('not_found', 'no such owner, account, transfer or payout');
}
