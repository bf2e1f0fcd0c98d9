// Column types that several tables share, so that units and types are decided once.
import { p } from '@mikro-orm/core';
import type { MachineName } from '../../../../machines/machines.ts';
import { failureCodes } from '../../../domain/failure-reasons.ts';

/** An amount in minor units of the row's currency. */
export const minor = () => p.bigint('number');

/** A rate with eight decimal places, as decimal text and never as a float. */
export const rate = () => p.decimal('string').precision(20).scale(8);

/** A timestamp with milliseconds. */
export const moment = () => p.datetime(3);

/** The W3C `traceparent` of the span that caused the row's work. Null if nothing was traced. */
export const traceparent = () => p.string().length(55).nullable();

/** Bytes that only src/platform/security can open. */
export const sealed = () => p.blob();

/**
 * When a value that may be replaced was sealed. The value opens only together with this time. Null if it was
 * sealed before the column existed.
 */
export const sealedAt = moment;

/**
 * A value of a fixed list, stored as a type of the database. Columns with the same meaning share one type. (For text with a check,
 * PostgreSQL would plan the check again for each statement.)
 */
export const enumOf = <const Values extends readonly string[]>(typeName: string, values: Values) =>
  p.enum(values).nativeEnumName(typeName);

/** The reason that the user sees if the money did not arrive. */
export const failure = () => enumOf('failure_code', failureCodes).nullable();

/** The lease of a row: which process runs its work now. `leasedBy` is null if no process does. */
export const lease = () => ({
  /** The process that has the lease; see `Process`. */
  leasedBy: p.uuid().nullable(),
  /** A fencing token: it counts the leases of the row, and only the process with the latest lease may write a decision. */
  leaseToken: p.integer().default(0),
});

/** The columns of a row that is work to be run. There is no second record of it (docs/decisions/0003-the-row-is-the-work.md). */
export const work = () => ({
  /** When the work runs next, by the database's clock; null if no work remains. */
  dueAt: moment().nullable(),
  ...lease(),
});

const homeCurrencies = ['GBP', 'EUR'] as const;
export const homeCurrency = () => enumOf('home_currency', homeCurrencies);
export const currencies = ['GBP', 'EUR', 'BRL', 'USDC'] as const;

/** The columns of every row with a lifecycle. `seq` counts its transitions. Only `advance` writes these three columns. */
export const lifecycle = <State extends string>(kind: MachineName, states: readonly State[]) => ({
  state: enumOf(`${kind}_state`, states),
  seq: p.integer(),
  /**
   * When the row entered its state. Unlike `updated_at`, it does not change with transitions within
   * the state or with other columns.
   */
  stateEnteredAt: moment(),
});

/**
 * Returns a condition for an index or a constraint, such as `state in ('pending', 'failed')`, with literals that the code defines.
 */
export function isAmong(column: string, values: readonly string[]): string {
  const quoted = values.map((value) => `'${value}'`);
  return quoted.length === 1 ? `${column} = ${quoted[0]}` : `${column} in (${quoted.join(', ')})`;
}
