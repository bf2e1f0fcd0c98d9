// Decides the outcome of a payout when an attempt begins, by magic values and fault injection.

import { payoutOutcomeWithFaults } from '../fault-injection/business.ts';
import { payoutOutcome } from '../magic.ts';
import { writeAmount } from '../money.ts';
import { schedule } from '../schedule.ts';
import type { PayoutRow } from '../store/rows.ts';
import type { World } from '../world.ts';
import type { Schemas } from './operation.ts';

export interface PayoutStep {
  attempt: number;
  status: Exclude<PayoutRow['status'], 'PENDING'>;
  /** Whether a payout that failed is completed after all. */
  isLate?: true;
}

/** A late completion takes this many times as long as any other settlement. */
const LATE = 12;

type Settle = (world: World, uuid: string, step: PayoutStep, quietly: boolean) => PayoutRow;

/**
 * Plans the steps of this attempt. If the outcome is an instant one, its only step is applied immediately.
 * @returns the payout after that step, or undefined if it stays as it is for now.
 */
export function planPayout(world: World, row: PayoutRow, settle: Settle): PayoutRow | undefined {
  const { settleMs, slowMs } = world.options;
  const step = (status: PayoutStep['status']): PayoutStep => ({ attempt: row.attempt, status });
  const later = (delayMs: number, status: PayoutStep['status']): undefined => {
    schedule(world, delayMs, 'payout', row.uuid, step(status));
  };

  switch (payoutOutcomeWithFaults(world, outcomeOf(row))) {
    case 'completes':
      return later(settleMs, 'COMPLETED');
    case 'fails':
    case 'unknownRecipient':
      return later(settleMs, 'FAILED');
    case 'errors':
      return later(settleMs, 'ERROR');
    case 'recovers':
      return later(settleMs, row.attempt === 1 ? 'FAILED' : 'COMPLETED');
    case 'completesLate':
      later(settleMs, 'FAILED');
      schedule(world, LATE * settleMs + 1, 'payout', row.uuid, { ...step('COMPLETED'), isLate: true });
      return undefined;
    case 'refunded':
      later(settleMs, 'COMPLETED');
      return later(6 * settleMs + 1, 'REFUNDED');
    case 'refundedEarly':
      return later(settleMs, 'REFUNDED');
    case 'slow':
      return later(slowMs, 'COMPLETED');
    case 'instant':
      return settle(world, row.uuid, step('COMPLETED'), true);
    case 'instantFailure':
      return settle(world, row.uuid, step('FAILED'), true);
    case 'rejected':
      throw new Error('a rejected payout is never planned');
  }
}

function outcomeOf(row: PayoutRow) {
  const destination = JSON.parse(row.destination) as Schemas['Destination'];
  return payoutOutcome(row.rail, destination, writeAmount(row.amount, row.currency));
}
