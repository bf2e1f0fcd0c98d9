// Column types that many tables share, so that units and types are decided once.
import { p } from '@mikro-orm/core';
import type { MachineName } from '../../machines/machines.ts';
import { failureCodes } from '../domain/failure-reasons.ts';

/** An amount in minor units of the row's currency. */
export const minor = () => p.bigint('number');

/** A rate with eight places, as decimal text: never a float. */
export const rate = () => p.decimal('string').precision(20).scale(8);

/** A timestamp, to the millisecond. */
export const moment = () => p.datetime(3);

/** Bytes that only the sealing module can open. */
export const sealed = () => p.blob();

/** When a sealed value that may be replaced was sealed. The value opens only next to this time; null if it was sealed before. */
export const sealedAt = moment;

/**
 * One of a list of values: a type of the database's own. Columns of one meaning share one type. (PostgreSQL plans the check that
 * text would need anew for each statement.)
 */
export const enumOf = <const Values extends readonly string[]>(typeName: string, values: Values) =>
  p.enum(values).nativeEnumName(typeName);

/** Why the money did not arrive, for the user. */
export const failure = () => enumOf('failure_code', failureCodes).nullable();

/** Who carries out a row's work now. A row that belongs to no process is leased by nobody. */
export const lease = () => ({
  /** The process that holds the lease; see `Process`. */
  leasedBy: p.uuid().nullable(),
  /** Counts the leases of the row. A decision is written only by the holder of the last one. */
  leaseToken: p.integer().default(0),
});

/** A row that is work to be carried out: it has no second record anywhere. */
export const work = () => ({
  /** When it is carried out next, by the database's clock; null when nothing is left to do. */
  dueAt: moment().nullable(),
  ...lease(),
});

const homeCurrencies = ['GBP', 'EUR'] as const;
export const homeCurrency = () => enumOf('home_currency', homeCurrencies);
export const currencies = ['GBP', 'EUR', 'BRL', 'USDC'] as const;

/** The columns of every row with a lifecycle. `seq` counts its transitions; only `advance` writes the three. */
export const lifecycle = <State extends string>(kind: MachineName, states: readonly State[]) => ({
  state: enumOf(`${kind}_state`, states),
  seq: p.integer(),
  /** Unlike `updated_at`, unaffected by transitions that stay in the state and by other columns. */
  stateEnteredAt: moment(),
});

/** `state in ('pending', 'failed')`: a condition for an index or a constraint, with literals of ours. */
export function isAmong(column: string, values: readonly string[]): string {
  const quoted = values.map((value) => `'${value}'`);
  return quoted.length === 1 ? `${column} = ${quoted[0]}` : `${column} in (${quoted.join(', ')})`;
}
