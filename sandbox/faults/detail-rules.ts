// The rules for the details of requested faults.
import { CURRENCIES } from '../money.ts';
import { REFERENCES } from '../options.ts';
import { ERROR_CODES } from '../provider/refusal.ts';

/** How a detail is checked, and the rule that a refusal names. */
export const DETAIL_RULES = {
  ms: { isFit: (value: unknown) => isWhole(value, 3_600_000), rule: 'a whole number from 0 to 3600000' },
  lag: { isFit: (value: unknown) => isWhole(value, 60_000), rule: 'a whole number from 0 to 60000' },
  seconds: { isFit: (value: unknown) => isWhole(value, 3600), rule: 'a whole number from 0 to 3600' },
  code: {
    isFit: (value: unknown) => ERROR_CODES.some((code) => code === value),
    rule: `one of ${ERROR_CODES.join(', ')}`,
  },
  amount: {
    isFit: (value: unknown) => typeof value === 'string' && /^\d{1,12}\.(\d{2}|\d{6})$/.test(value),
    rule: 'decimal text with two places, or six',
  },
  references: {
    isFit: (value: unknown) => REFERENCES.some((one) => one === value),
    rule: `one of ${REFERENCES.join(', ')}`,
  },
  currency: {
    isFit: (value: unknown) => CURRENCIES.some((currency) => currency === value),
    rule: `one of ${CURRENCIES.join(', ')}`,
  },
};

function isWhole(value: unknown, most: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most;
}
