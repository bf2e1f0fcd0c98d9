// What the weather does to business that would have gone well. Magic values come first.
import type { PayoutOutcome, TransferOutcome } from '../magic.ts';
import type { Currency } from '../money.ts';
import type { World } from '../world.ts';
import type { Meeting } from './fault-injection.ts';
import type { BusinessFault } from './kinds.ts';

/** How long an account is PROVISIONING, in milliseconds. */
export function activationMs(world: World): number {
  return befalls(world, 'slowAccount')
    ? world.weather.forecast().business.slowAccountMs
    : world.options.activateMs;
}

/** Whether the quote that is being made is worth nothing, whatever it says. */
export const isQuoteExpired = (world: World): boolean => befalls(world, 'expiredQuote') !== null;

export function transferInWeather<Outcome extends TransferOutcome>(
  world: World,
  outcome: Outcome,
): Outcome | 'fails' {
  return outcome === 'completes' && befalls(world, 'failedTransfer') ? 'fails' : outcome;
}

/** What a conversion that completes delivers, in minor units: what was quoted, or one off. */
export function deliveredAmount(world: World, quoted: number, currency: Currency): number {
  const off = currency === 'BRL' && befalls(world, 'shortByOne');
  if (!off) return quoted;
  return off.how('business.shortByOne') < 0.5 && quoted > 1 ? quoted - 1 : quoted + 1;
}

/** Asked again at each attempt. */
export function payoutInWeather(world: World, outcome: PayoutOutcome): PayoutOutcome {
  if (outcome !== 'completes') return outcome;
  if (befalls(world, 'failedPayout')) return 'fails';
  return befalls(world, 'refundedLater') ? 'refunded' : outcome;
}

/** Each occasion is counted, in the transaction it belongs to: what is refused was no occasion. */
function befalls({ weather }: World, fault: BusinessFault): Meeting | null {
  if (weather.isFair()) return null;
  const meeting = weather.meet(`business.${fault}`);
  if (!meeting.isStruckBy(`business.${fault}`)) return null;
  weather.count(`business.${fault}`);
  return meeting;
}
