// Defines the currencies and the decimal places of each.

/** The currencies of a user's wallet. A user chooses one once and cannot change it. */
export type HomeCurrency = 'GBP' | 'EUR';

/** Every currency that an account can hold. USDC is internal: users never see it. */
export type Currency = HomeCurrency | 'BRL' | 'USDC';

export type Places = 2 | 6;

/** Decimal places of the minor unit: 1 minor unit is 0.01 GBP or 0.000001 USDC. */
export const minorPlaces: Record<Currency, Places> = { GBP: 2, EUR: 2, BRL: 2, USDC: 6 };

/** Returns an amount in units of its currency, for metrics only: the result is a binary fraction. */
export const unitsOf = (minor: number, currency: Currency): number => minor / 10 ** minorPlaces[currency];
