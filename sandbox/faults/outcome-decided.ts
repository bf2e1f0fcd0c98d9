// The faults of an outcome: a conversion or a payout that would complete ends in another way. Magic values take precedence.

import type { SandboxContext } from '../context.ts';
import type { PayoutOutcome, TransferOutcome } from '../magic.ts';
import { injectBusiness } from './occurrence.ts';

export function outcomeDecided<Outcome>(
  context: SandboxContext,
  table: 'transfers' | 'payouts',
  outcome: Outcome,
  currency: string,
): Outcome {
  if (outcome !== 'completes') return outcome;
  return (table === 'payouts' ? payoutOutcome(context) : transferOutcome(context, currency)) as Outcome;
}

function payoutOutcome(context: SandboxContext): PayoutOutcome {
  if (injectBusiness(context, 'failedPayout')) return 'fails';
  if (injectBusiness(context, 'completedLate')) return 'completesLate';
  return injectBusiness(context, 'refundedLater') ? 'refunded' : 'completes';
}

function transferOutcome(context: SandboxContext, currency: string): TransferOutcome {
  if (injectBusiness(context, 'failedTransfer')) return 'fails';
  const off = currency === 'BRL' && injectBusiness(context, 'shortByOne');
  if (!off) return 'completes';
  return off.how < 0.5 ? 'short' : 'over';
}
