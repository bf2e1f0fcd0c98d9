// Column kinds that many tables share, so that units and types are decided once.
import { p } from '@mikro-orm/core';

/** An amount in minor units of the row's currency. */
export const minor = () => p.bigint('number');

/** A rate with eight places, as decimal text: never a float. */
export const rate = () => p.decimal('string').precision(20).scale(8);

/** A moment, to the millisecond. */
export const moment = () => p.datetime(3);

/** Bytes that only the sealing module can open. */
export const sealed = () => p.blob();

export const homeCurrencies = ['GBP', 'EUR'] as const;
export const currencies = ['GBP', 'EUR', 'BRL', 'USDC'] as const;

/** What every row with a lifecycle carries. `seq` counts its transitions; only `advance` writes the two. */
export const lifecycle = {
  state: p.string().length(40),
  seq: p.integer(),
};
