// How long the work of payments waits: in the tables for a process that claims it, and in the memory of this process for a slot.
import type { Db } from '../platform/database/orm.ts';
import { findPaymentWaits } from '../platform/sql/work.ts';
import type { LocalPiece } from './local-work.ts';
import type { TakenUntil } from './taken-until.ts';
import type { Work } from './work.ts';

/**
 * The third longest wait counts. The work of one or two users may wait for a reason of its own, for example because an operator has
 * locked their rows.
 */
const COUNTS_FROM = 3;

/** The steps of a payment that may wait: its conversion, its payout, and what the provider reports about either. */
export type PaymentStage = 'conversion' | 'payout' | 'report';
export type PaymentWaits = { conversionMs: number; payoutMs: number; reportMs: number };

/** The longest wait of one user's work for a slot of this process, at one stage. */
export type WaitInMemory = { stage: PaymentStage; userId: string | null; waitMs: number };

/**
 * Reads how long the work of payments waits. Due work that no process has leased counts, whether its quote has expired or not. Work that
 * is planned for later, leased or paused does not count. Polls do not count: they are a fallback for lost callbacks.
 * @param inMemory see `waitsInMemory`.
 * @param taken remembers until when all work has been taken.
 */
export async function readPaymentWaits(
  db: Db,
  inMemory: WaitInMemory[],
  taken: TakenUntil,
): Promise<PaymentWaits> {
  const since = taken.begin() ?? '-infinity';
  const read = (await findPaymentWaits(db, { most: COUNTS_FROM, since })) ?? nothingRead;
  taken.looked(read.takenUntil, true);
  const piles = new Set(read.piles);
  const counted = inMemory.filter(({ userId }) => userId !== null && !piles.has(userId));
  const waitMs = (ofStage: PaymentStage): number => {
    const those = counted.filter(({ stage }) => stage === ofStage).map((one) => one.waitMs);
    return [...read[ofStage], ...those].toSorted((a, b) => b - a)[COUNTS_FROM - 1] ?? 0;
  };
  return { conversionMs: waitMs('conversion'), payoutMs: waitMs('payout'), reportMs: waitMs('report') };
}

const nothingRead = { conversion: [], payout: [], report: [], piles: [], takenUntil: new Date(0) };

/** Lists the longest wait of each user at each stage. */
export function waitsInMemory(pieces: LocalPiece[]): WaitInMemory[] {
  const longest = new Map<string, WaitInMemory>();
  for (const { work, state, sinceMs } of pieces) {
    const stage = stageOf(work);
    if (stage === null || state !== 'queued') continue;
    const key = `${stage} ${work.userId}`;
    const waitMs = Math.max(performance.now() - sinceMs, longest.get(key)?.waitMs ?? 0);
    longest.set(key, { stage, userId: work.userId, waitMs });
  }
  return [...longest.values()];
}

function stageOf({ kind, type }: Work): PaymentStage | null {
  if (kind === 'callback') return 'report';
  if (type === 'startConversion') return 'conversion';
  return type === 'startPayout' ? 'payout' : null;
}
