// The fee of a payment, as both references show it.
import type { Row } from './query.ts';

/** Returns the part of the cost above the reais at the rate, which are rounded up to the minor unit. */
export function feeOf(row: Row): number {
  const rateUnits = BigInt(String(row['exchange_rate']).replace('.', ''));
  const atRate = (BigInt(String(row['amount_brl_minor'])) * 10n ** 8n + rateUnits - 1n) / rateUnits;
  return Math.max(0, Number(row['source_amount_minor']) - Number(atRate));
}
