// Twins: a second object under a known handle. The provider forgets the handle while it handles the call. A twin is as real as the
// first object, and moves money like it.

import type { SandboxContext } from '../context.ts';
import type { Operation } from '../provider/handler.ts';
import { handlers } from '../provider/index.ts';
import { type Call, handleOf, type Reply } from '../provider/operation.ts';
import { refuse } from '../provider/refusal.ts';
import { byHandle } from '../provider/resources.ts';
import { HANDLE, type QuoteRow, type Resource, type TransferRow } from '../store/rows.ts';
import { recordInjected, shouldInject, subjectOf } from './occurrence.ts';
import { absenceOf } from './vanished.ts';

/** The circumstances of a twin. They are decided before the call is handled. */
interface Twin {
  /** Whether the checks of the quote's life and of the balance are skipped. */
  isForced: boolean;
  /** Whether the provider pays the part of a payout that the balance does not cover. */
  isUnfunded: boolean;
  /** The record of the fault, which receives the twin's uuid. Null if none was written yet. */
  faultId: number | null;
}

type CallWithTwin = Call & { twin?: Twin };

const CREATES: Partial<Record<Call['operation'], Resource>> = {
  createPayout: 'payouts',
  createInternalTransfer: 'transfers',
  createAccount: 'accounts',
  createOwner: 'owners',
};

/** Returns whether the provider pays what the account does not cover of this new payout. */
export const isUnfunded = (call: CallWithTwin): boolean => call.twin?.isUnfunded === true;

/**
 * Makes the provider forget a known handle, if the fault is injected. Call it outside the call's transaction. Otherwise, if the
 * twin is refused because the balance does not cover it, the next repetition would have the same fault.
 */
export function maybeForgetHandle(context: SandboxContext, call: CallWithTwin): void {
  const first = firstOf(context, call);
  if (!first || !shouldInject(context, 'forgottenHandle', call)) return;
  const mayLack = shouldInject(context, 'unfundedTwin', call) !== null;
  const about = { ...subjectOf(call), uuid: null };
  const faultId = recordInjected(context, 'forgottenHandle', about, { twin_of: first.uuid });
  call.twin = { isForced: false, isUnfunded: mayLack, faultId };
}

/** Handles the call. If its handle is forgotten or its object has vanished, the call makes a twin. */
export function handledAsNew(context: SandboxContext, call: CallWithTwin, work: () => Reply): Reply {
  const table = CREATES[call.operation];
  if (!table || !(call.twin || context.faultInjection.lasting.mayAffect('vanished'))) return work();
  const first = firstOf(context, call);
  if (!first || !(call.twin || absenceOf(context, first.uuid)?.by_handle)) return work();
  const handle = handleOf(call) ?? '';
  const rename = `update ${table} set ${HANDLE[table]} = ? where ${HANDLE[table]} = ?`;
  context.store.run(rename, `${handle} forgotten`, handle);
  const keepQuote =
    table === 'transfers' ? freeQuote(context, first as TransferRow, call.twin?.isForced) : null;
  const reply = work();
  context.store.run(rename, handle, `${handle} forgotten`);
  keepQuote?.();
  recordTwin(context, call, table, (reply.body as { uuid: string }).uuid, first.uuid);
  return reply;
}

/** Makes a twin on demand: the creation is repeated, as if its handle were new. */
export function makeTwin(context: SandboxContext, uuid: string): Reply {
  for (const [operation, table] of Object.entries(CREATES) as [Call['operation'], Resource][]) {
    const sql = `select content, callback_url from ${table} where uuid = ?`;
    const first = context.store.get<{ content: string; callback_url: string | null }>(
      sql,
      uuid.toLowerCase(),
    );
    if (!first) continue;
    const { content, callback_url } = first;
    const body = { ...JSON.parse(content), ...(callback_url !== null && { callback_url }) } as object;
    const twin = { isForced: true, isUnfunded: true, faultId: null };
    const call = { operation, path: '', params: {}, query: {}, body, twin };
    const handler: Operation = handlers[operation];
    return handledAsNew(context, call, () => handler(context, call as unknown as Call<never>));
  }
  throw refuse('not_found', 'no such owner, account, transfer or payout');
}

function firstOf(context: SandboxContext, call: Call) {
  const table = CREATES[call.operation];
  return table && byHandle(context, table, handleOf(call) ?? '')[0];
}

/** Lets the twin use the first one's quote again while it lives. Returns a function that restores the quote. */
function freeQuote(
  { store, now }: SandboxContext,
  { quote_uuid }: TransferRow,
  isForced = false,
): () => void {
  const quote = store.get<QuoteRow>('select * from quotes where uuid = ?', quote_uuid);
  const expires_at = Math.max(quote?.expires_at ?? 0, isForced ? now() + 1000 : 0);
  store.update('quotes', quote_uuid, { transfer_uuid: null, expires_at });
  return () =>
    void store.update('quotes', quote_uuid, {
      transfer_uuid: quote?.transfer_uuid ?? null,
      expires_at: quote?.expires_at ?? 0,
    });
}

function recordTwin(
  context: SandboxContext,
  call: CallWithTwin,
  table: Resource,
  uuid: string,
  twinOf: string,
): void {
  const about = { ...subjectOf(call), uuid };
  const faultId =
    call.twin?.faultId ?? recordInjected(context, 'forgottenHandle', about, { twin_of: twinOf });
  context.faultInjection.name(faultId, uuid);
  const sql = 'select amount - debited as missing from payouts where uuid = ?';
  const missing = table === 'payouts' && context.store.get<{ missing: number }>(sql, uuid)?.missing;
  if (missing) recordInjected(context, 'unfundedTwin', about, { missing });
}
