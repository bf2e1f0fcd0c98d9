// How long the work of payments waits: in the tables for a process that claims it, and in the memory of this process for a slot.
import { DatabaseTime } from '../platform/database/database-time.ts';
import { onOneConnection } from '../platform/database/db-transaction.ts';
import type { Db } from '../tables/orm.ts';
import { findPaymentWaits } from '../tables/payment-waits.ts';
import { listHeldUp } from '../tables/processes/statements.ts';
import type { LocalPiece } from './local-work.ts';
import { allTakenUntil, type TakenUntil } from './taken-until.ts';
import type { Work } from './work.ts';

/**
 * The third longest wait counts. The work of one or two users may wait for a reason of its own, for example because an operator has
 * locked their rows.
 */
const COUNTS_FROM = 3;

/** The steps of a payment that may wait: its conversion, its payout, and what the provider reports about either. */
export type PaymentStage = 'conversion' | 'payout' | 'report';
export type PaymentWaits = {
  conversionMs: number;
  payoutMs: number;
  reportMs: number;
  /** What the provider holds up in any process: types of work, and operations that it does not answer. */
  heldUp: string[];
};

/** The longest wait of one user's work for a slot of this process, at one stage. */
export type WaitInMemory = { stage: PaymentStage; userId: string | null; waitMs: number };

/** What waits in the memory of this process, and what the provider holds up in it. */
export type Memory = {
  /** How long the work of payments has waited. */
  waits: () => WaitInMemory[];
  /** Types of work whose slots wait for the provider, and operations that it does not answer. */
  heldUp: () => string[];
};

export const typeOf = { conversion: 'startConversion', payout: 'startPayout', report: 'callback' } as const;
export const typesThatWait: readonly string[] = Object.values(typeOf);

/**
 * Reads how long the work of payments waits. Due work that no process has leased counts, whether its quote has expired or not. Work that
 * is planned for later, leased or paused does not count. Polls do not count: they are a fallback for lost callbacks. Work that the
 * provider holds up does not count, because this service is then not overloaded. Conversions always count, because their quotes expire.
 * @param memory what waits in this process, and what the provider holds up.
 * @param taken remembers until when all work has been taken.
 */
export async function readPaymentWaits(db: Db, memory: Memory, taken: TakenUntil): Promise<PaymentWaits> {
  const since = taken.begin() ?? '-infinity';
  const [now, elsewhere] = await onOneConnection(db, (connection) => [
    DatabaseTime.read(connection),
    listHeldUp(connection, {}),
  ]);
  const read = (await findPaymentWaits(db, { limit: COUNTS_FROM, since, now })) ?? nothingRead;
  taken.looked(allTakenUntil(now, read.oldestDueAt), true);
  const heldUp = [...new Set([...memory.heldUp(), ...elsewhere.map(({ name }) => name)])];
  const piles = new Set(read.piles);
  const counted = memory.waits().filter(({ userId }) => userId !== null && !piles.has(userId));
  const waitMs = (ofStage: PaymentStage): number => {
    if (ofStage !== 'conversion' && heldUp.includes(typeOf[ofStage])) return 0;
    const those = counted.filter(({ stage }) => stage === ofStage).map((one) => one.waitMs);
    return [...read[ofStage], ...those].toSorted((a, b) => b - a)[COUNTS_FROM - 1] ?? 0;
  };
  return {
    conversionMs: waitMs('conversion'),
    payoutMs: waitMs('payout'),
    reportMs: waitMs('report'),
    heldUp,
  };
}

const nothingRead = { conversion: [], payout: [], report: [], piles: [], oldestDueAt: null };

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

const stages = Object.keys(typeOf) as PaymentStage[];

const stageOf = ({ type }: Work): PaymentStage | null =>
  stages.find((stage) => typeOf[stage] === type) ?? null;
