// Faults injected into successful business outcomes. Magic values take precedence.
import type { PayoutOutcome, TransferOutcome } from '../magic.ts';
import type { Currency } from '../money.ts';
import type { World } from '../world.ts';
import type { Occurrence } from './fault-injection.ts';
import type { BusinessFault } from './kinds.ts';

/** How long an account is PROVISIONING, in milliseconds. */
export function activationMs(world: World): number {
  return inject(world, 'slowAccount')
    ? world.faultInjection.configuration().business.slowAccountMs
    : world.options.activateMs;
}

/** Whether the new quote is already expired, whatever its `expires_at`. */
export const isQuoteExpired = (world: World): boolean => inject(world, 'expiredQuote') !== null;

export function transferOutcomeWithFaults<Outcome extends TransferOutcome>(
  world: World,
  outcome: Outcome,
): Outcome | 'fails' {
  return outcome === 'completes' && inject(world, 'failedTransfer') ? 'fails' : outcome;
}

/** The amount that a completed conversion delivers, in minor units: the quoted amount, or one minor unit more or less. */
export function deliveredAmount(world: World, quoted: number, currency: Currency): number {
  const off = currency === 'BRL' && inject(world, 'shortByOne');
  if (!off) return quoted;
  return off.variant('business.shortByOne') < 0.5 && quoted > 1 ? quoted - 1 : quoted + 1;
}

/** Decides the outcome of a payout, again for each attempt. */
export function payoutOutcomeWithFaults(world: World, outcome: PayoutOutcome): PayoutOutcome {
  if (outcome !== 'completes') return outcome;
  if (inject(world, 'failedPayout')) return 'fails';
  if (inject(world, 'completedLate')) return 'completesLate';
  return inject(world, 'refundedLater') ? 'refunded' : outcome;
}

/** Counts each occurrence in the transaction that it belongs to, so a refused call counts none. */
function inject({ faultInjection }: World, fault: BusinessFault): Occurrence | null {
  if (faultInjection.isOff()) return null;
  const occurrence = faultInjection.occurrenceOf(`business.${fault}`);
  if (!occurrence.shouldInject(`business.${fault}`)) return null;
  faultInjection.count(`business.${fault}`);
  return occurrence;
}
