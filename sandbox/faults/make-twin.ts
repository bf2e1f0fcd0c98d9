// A twin on demand: the creation is done again, as if its handle were new.
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

/** @returns the creation's reply; 404 for a uuid of nothing. */
export function makeTwin(world: World, uuid: string): Reply {
  for (const [table, operation] of CREATIONS) {
    const sql = `select content, callback_url from ${table} where uuid = ?`;
    const first = world.store.get<{ content: string; callback_url: string | null }>(sql, uuid.toLowerCase());
    if (!first) continue;
    const { content, callback_url } = first;
    const body = { ...JSON.parse(content), ...(callback_url !== null && { callback_url }) } as object;
    const handle: Operation = handlers[operation];
    return handle(world, { operation, params: {}, query: {}, body, isTwin: true } as Call<never>);
  }
  throw refuse('not_found', 'no such owner, account, transfer or payout');
}
