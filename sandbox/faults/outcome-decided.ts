// The faults of an outcome: a conversion or a payout that would complete ends in another way. Magic values take precedence.
import type { PayoutOutcome, TransferOutcome } from '../magic.ts';
import type { World } from '../world.ts';
import { injectBusiness } from './occurrence.ts';

export function outcomeDecided<Outcome>(
  world: World,
  table: 'transfers' | 'payouts',
  outcome: Outcome,
  currency: string,
): Outcome {
  if (outcome !== 'completes') return outcome;
  return (table === 'payouts' ? payoutOutcome(world) : transferOutcome(world, currency)) as Outcome;
}

function payoutOutcome(world: World): PayoutOutcome {
  if (injectBusiness(world, 'failedPayout')) return 'fails';
  if (injectBusiness(world, 'completedLate')) return 'completesLate';
  return injectBusiness(world, 'refundedLater') ? 'refunded' : 'completes';
}

function transferOutcome(world: World, currency: string): TransferOutcome {
  if (injectBusiness(world, 'failedTransfer')) return 'fails';
  const off = currency === 'BRL' && injectBusiness(world, 'shortByOne');
  if (!off) return 'completes';
  return off.how < 0.5 ? 'short' : 'over';
}
