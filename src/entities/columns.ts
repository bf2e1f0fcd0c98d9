// Column types that many tables share, so that units and types are decided once.
import { p } from '@mikro-orm/core';
import { failureCodes } from '../domain/failure-reasons.ts';

/** An amount in minor units of the row's currency. */
export const minor = () => p.bigint('number');

/** A rate with eight places, as decimal text: never a float. */
export const rate = () => p.decimal('string').precision(20).scale(8);

/** A timestamp, to the millisecond. */
export const moment = () => p.datetime(3);

/** Bytes that only the sealing module can open. */
export const sealed = () => p.blob();

/** Why the money did not arrive, for the user. */
export const failure = () => p.enum(failureCodes).nullable();

export const homeCurrencies = ['GBP', 'EUR'] as const;
export const currencies = ['GBP', 'EUR', 'BRL', 'USDC'] as const;

/** The columns of every row with a lifecycle. `seq` counts its transitions; only `advance` writes the three. */
export const lifecycle = <State extends string>(states: readonly State[]) => ({
  state: p.enum(states),
  seq: p.integer(),
  /** Unlike `updated_at`, unaffected by transitions that stay in the state and by other columns. */
  stateEnteredAt: moment(),
});

/** `state in ('pending', 'failed')`: a condition for an index or a constraint, with literals of ours. */
export function isAmong(column: string, values: readonly string[]): string {
  const quoted = values.map((value) => `'${value}'`);
  return quoted.length === 1 ? `${column} = ${quoted[0]}` : `${column} in (${quoted.join(', ')})`;
}
