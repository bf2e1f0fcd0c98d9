// For how long the work of payments waits. It waits in the tables for a process that claims it, and in the memory of a process for a
// slot.
import type { Db } from '../database/orm.ts';
import { findPaymentWaits } from '../sql/work.ts';
import type { HeldWork } from './held.ts';
import type { Work } from './work.ts';

/**
 * Which of the people's waits counts, from the longest on. The work of one or two people may wait for a reason of its own: somebody may
 * have locked their rows.
 */
const COUNTS_FROM = 3;

/** The steps of a payment that may wait: its conversion, its payout, and what the provider reports about either. */
export type PaymentStage = 'conversion' | 'payout' | 'report';
export type PaymentWaits = { conversionMs: number; payoutMs: number; reportMs: number };

/** What waits in memory for a slot, of one person. */
export type WaitInMemory = { stage: PaymentStage; userId: string | null; waitMs: number };

/**
 * What is due and no process has waits, whether its quote is alive or not. What is planned for later, leased or paused does not. Polls
 * do not count: they are for callbacks that are lost.
 * @param inMemory see `waitsInMemory`.
 */
export async function readPaymentWaits(db: Db, inMemory: WaitInMemory[]): Promise<PaymentWaits> {
  const read = (await findPaymentWaits(db, { most: COUNTS_FROM })) ?? {
    conversion: [],
    payout: [],
    report: [],
    piles: [],
  };
  const piles = new Set(read.piles);
  const counted = inMemory.filter(({ userId }) => userId !== null && !piles.has(userId));
  const waitMs = (ofStage: PaymentStage): number => {
    const those = counted.filter(({ stage }) => stage === ofStage).map((one) => one.waitMs);
    return [...read[ofStage], ...those].toSorted((a, b) => b - a)[COUNTS_FROM - 1] ?? 0;
  };
  return { conversionMs: waitMs('conversion'), payoutMs: waitMs('payout'), reportMs: waitMs('report') };
}

/** The longest wait of each person at each stage. */
export function waitsInMemory(held: HeldWork[], nowMs = performance.now()): WaitInMemory[] {
  const longest = new Map<string, WaitInMemory>();
  for (const { work, state, sinceMs } of held) {
    const stage = stageOf(work);
    if (stage === null || state !== 'waiting') continue;
    const key = `${stage} ${work.userId}`;
    const waitMs = Math.max(nowMs - sinceMs, longest.get(key)?.waitMs ?? 0);
    longest.set(key, { stage, userId: work.userId, waitMs });
  }
  return [...longest.values()];
}

function stageOf({ kind, type }: Work): PaymentStage | null {
  if (kind === 'callback') return 'report';
  if (type === 'startConversion') return 'conversion';
  return type === 'startPayout' ? 'payout' : null;
}
