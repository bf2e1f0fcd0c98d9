// The ranges of amounts by which lists are filtered. Both bounds are part of a range.
import { brlMinorFromText } from '../domain/money.ts';
import { invalid } from '../domain/refusals.ts';

type Range = { min: number | null; max: number | null };

/** @throws Refusal `invalid_request` for a range that ends below its beginning. */
export function homeRange({ minAmount, maxAmount }: { minAmount?: number; maxAmount?: number }) {
  const { min, max } = inOrder('Amount', { min: minAmount ?? null, max: maxAmount ?? null });
  return { minAmountMinor: min, maxAmountMinor: max };
}

/** @throws Refusal `invalid_request` for a range that ends below its beginning. */
export function brlRange({ minAmountBrl, maxAmountBrl }: { minAmountBrl?: string; maxAmountBrl?: string }) {
  const { min, max } = inOrder('AmountBrl', { min: centavosOf(minAmountBrl), max: centavosOf(maxAmountBrl) });
  return { minAmountBrlMinor: min, maxAmountBrlMinor: max };
}

const centavosOf = (amountBrl: string | undefined): number | null =>
  amountBrl === undefined ? null : brlMinorFromText(amountBrl);

function inOrder(name: string, { min, max }: Range): Range {
  if (min !== null && max !== null && min > max)
    throw invalid(`/query/min${name}`, `must not be above max${name}`);
  return { min, max };
}
