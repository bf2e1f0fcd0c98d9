// Runs a payment at the provider from memory: its transfer, then its payout, each requested under the payment's own id. The same
// two functions apply the provider's answer and what is fetched after a callback.
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import { decimalOf, minorOf, type Payout, type Transfer } from '../provider.ts';
import { inTransaction, query, type Row } from '../query.ts';
import type { Reference } from './reference.ts';

export type TransferOrder = {
  id: string;
  quoteRef: string;
  sourceAccountRef: string;
  destinationAccountRef: string;
};

export async function startTransfer(reference: Reference, order: TransferOrder): Promise<void> {
  const { provider, callbackUrl } = reference;
  const transfer = await insist(() =>
    provider.createTransfer({
      origin_id: order.id,
      quote_uuid: order.quoteRef,
      source_account_uuid: order.sourceAccountRef,
      destination_account_uuid: order.destinationAccountRef,
      callback_url: callbackUrl,
    }),
  );
  await applyTransfer(reference, transfer);
}

/** @param callbackId the callback after which the transfer was fetched. It is closed in the same commit. */
export async function applyTransfer(
  reference: Reference,
  transfer: Transfer,
  callbackId?: string,
): Promise<void> {
  const { db } = reference;
  const ended = await inCommit(db, callbackId, transfer.status !== 'PENDING', (client) =>
    transfer.status === 'PENDING' ? noteTransfer(client, transfer) : endTransfer(client, transfer),
  );
  if (ended?.['state'] === 'paying') inBackground(startPayout(reference, ended));
}

async function noteTransfer(client: Pool | PoolClient, { origin_id, uuid }: Transfer): Promise<null> {
  await query(client, 'update payments set transfer_id = $2 where id = $1 and transfer_id is null', [
    origin_id,
    uuid,
  ]);
  return null;
}

/** @returns the payment, or undefined if this was applied before. */
async function endTransfer(client: Pool | PoolClient, transfer: Transfer): Promise<Row | undefined> {
  const isDone = transfer.status === 'COMPLETED';
  const { rows } = await query(
    client,
    `update payments set transfer_id = $2, updated_at = $3,
       state = case when not $4 then 'failed' when amount_brl_minor = $5 then 'paying' else 'manual_review' end
     where id = $1 and state = 'converting'
     returning *, (
       select provider_account_id from accounts where user_id = payments.user_id and currency = 'BRL'
     ) as brl_account`,
    [transfer.origin_id, transfer.uuid, new Date(), isDone, minorOf(transfer.destination_amount)],
  );
  const [payment] = rows;
  if (payment && payment['state'] !== 'paying') await endTransaction(client, payment, 'failed');
  return payment;
}

async function startPayout(reference: Reference, payment: Row): Promise<void> {
  const { provider, callbackUrl } = reference;
  const payout = await insist(() =>
    provider.createPayout({
      origin_id: String(payment['id']),
      source_account_uuid: String(payment['brl_account']),
      amount: decimalOf(Number(payment['amount_brl_minor'])),
      currency: 'BRL',
      rail: 'PIX',
      destination: {
        pix_key: String(payment['pix_key']),
        pix_key_type: payment['pix_key_type'] as 'cpf',
        recipient_name: payment['recipient_name'] as string | null,
      },
      callback_url: callbackUrl,
    }),
  );
  await applyPayout(reference, payout);
}

/** @param callbackId as with {@link applyTransfer}. */
export async function applyPayout({ db }: Reference, payout: Payout, callbackId?: string): Promise<void> {
  await inCommit(db, callbackId, payout.status !== 'PENDING', (client) =>
    payout.status === 'PENDING' ? notePayout(client, payout) : endPayout(client, payout),
  );
}

async function notePayout(client: Pool | PoolClient, { origin_id, uuid }: Payout): Promise<null> {
  await query(client, 'update payments set payout_id = $2 where id = $1 and payout_id is null', [
    origin_id,
    uuid,
  ]);
  return null;
}

async function endPayout(client: Pool | PoolClient, payout: Payout): Promise<Row | undefined> {
  const isDone = payout.status === 'COMPLETED';
  const { rows } = await query(
    client,
    `update payments set payout_id = $2, updated_at = $3, state = $4, end_to_end_id = $5, voucher_id = $6
     where id = $1 and state = 'paying' returning *`,
    [
      payout.origin_id,
      payout.uuid,
      new Date(),
      isDone ? 'completed' : 'payout_failed',
      payout.end_to_end_id,
      payout.voucher_id,
    ],
  );
  const [payment] = rows;
  if (payment && isDone) await endTransaction(client, payment, 'completed');
  return payment;
}

async function endTransaction(client: Pool | PoolClient, payment: Row, status: string): Promise<void> {
  const text = 'update transactions set status = $2, completed_at = $3 where id = $1';
  await query(client, text, [payment['transaction_id'], status, status === 'completed' ? new Date() : null]);
}

/** Runs the statements in one commit. A single statement is its own commit. */
function inCommit<Result>(
  db: Pool,
  callbackId: string | undefined,
  isManyStatements: boolean,
  work: (client: Pool | PoolClient) => Promise<Result>,
): Promise<Result> {
  if (callbackId === undefined && !isManyStatements) return work(db);
  return inTransaction(db, async (client) => {
    const result = await work(client);
    if (callbackId !== undefined) await closeCallback(client, callbackId);
    return result;
  });
}

async function closeCallback(client: PoolClient, id: string): Promise<void> {
  const text = `update callbacks set status = 'applied', processed_at = $2 where id = $1`;
  await query(client, text, [id, new Date()]);
}

/** Repeats a call whose outcome is unknown, which the handle makes safe. */
async function insist<Reply>(call: () => Promise<Reply>): Promise<Reply> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= 2)
    try {
      return await call();
    } catch (error) {
      if (pauseMs > LONGEST_PAUSE_MS) throw error;
      await pause(pauseMs);
    }
}
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;

/** Runs work in memory. Failed work is lost with the process, which keeps the reference simple. */
export const inBackground = (work: Promise<void>): void =>
  void work.catch((error: unknown) => console.error('reference:', error));
