// The lifecycle of a partial return. Its conversion has a handle of the movement, so a row that was lost and found again converts nothing
// twice.
import { payoutRefundInvariants } from '../../machines/payout-refund.invariants.ts';
import { payoutRefundMachine } from '../../machines/payout-refund.machine.ts';
import { handleFor } from '../domain/handles.ts';
import type { Entity } from '../tables/rows.ts';
import type { Lifecycle } from './lifecycle.ts';

export const payoutRefund: Lifecycle<typeof payoutRefundMachine, Entity<'PayoutRefund'>> = {
  kind: 'payout_refund',
  entity: 'PayoutRefund',
  machine: payoutRefundMachine,
  invariants: payoutRefundInvariants,
  contextOf: ({ amountBrlMinor, attempt, homeCreditMinor }) => ({ amountBrlMinor, attempt, homeCreditMinor }),
  propertiesOf: ({ attempt, homeCreditMinor }) => ({ attempt, homeCreditMinor }),
  resourceOf: (row) => ({ handle: conversionHandle(row), kind: 'transfer', leg: 'partial' }),
  // The quote was taken with the operator's command.
  urgentUntil: ({ quotedAt, quoteLifeMs }) =>
    quotedAt === null || quoteLifeMs === null ? null : new Date(quotedAt.getTime() + quoteLifeMs),
};

/** Returns the handle of a conversion. A failed one keeps its handle at the provider, so the next one has another. */
export const conversionHandle = ({
  movementRef,
  attempt,
}: Pick<Entity<'PayoutRefund'>, 'movementRef' | 'attempt'>): string =>
  handleFor(attempt <= 1 ? movementRef : `${movementRef}:${attempt}`, 'conversion-partial');
