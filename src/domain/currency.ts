// The currencies, and the decimal places of each.

/** The currencies of a user's wallet. Chosen once, never changed. */
export type HomeCurrency = 'GBP' | 'EUR';

/** Every currency an account can hold. USDC is internal: no user ever sees it. */
export type Currency = HomeCurrency | 'BRL' | 'USDC';

export type Places = 2 | 6;

/** Decimal places of the minor unit: an amount of 1 means 0.01 GBP, or 0.000001 USDC. */
export const minorPlaces: Record<Currency, Places> = { GBP: 2, EUR: 2, BRL: 2, USDC: 6 };
