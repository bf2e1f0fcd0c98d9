// Column types that several tables share, so that units and types are decided once.
import type { MachineName } from '../../machines/machines.ts';
import type { Currency } from '../domain/currency.ts';
import { failureCodes } from '../domain/failure-reasons.ts';
import { exported, leftOut, marked, ours, type SealedUnder } from './export-marks.ts';

/** An amount in minor units of one currency. */
export const minorOf = (currency: Currency) => marked({ minorUnitsOf: currency }).bigint('number');

/** An amount in minor units of the currency in another property of the row. */
export const minorIn = (currencyProperty: string) =>
  marked({ minorUnitsIn: currencyProperty }).bigint('number');

/** A hash by which operators find the sealed value of the row (src/security/search-hashes.ts). It is cleared with the value. */
export const searchHash = () => leftOut('It is the hash of a value that is in this section.').blob();

/** The index of a search hash. */
export const searchable = (name: string, table: string, column: string) => ({
  name,
  expression: `create index ${name} on ${table} (${column}) where ${column} is not null`,
});

/** A rate with eight decimal places, as decimal text and never as a float. */
export const rate = () => exported.decimal('string').precision(20).scale(8);

/** A timestamp with milliseconds. */
export const moment = () => exported.datetime(3);

/** The W3C `traceparent` of the span that caused the row's work. Null if nothing was traced. */
export const traceparent = () => ours.string().length(55).nullable();

/**
 * Bytes that only src/security can open. By default the key of the user in `userId` seals them, they are
 * written once, and they are bound to the `id` of their row.
 * @param boundTo the column for which the value was sealed, as `table.column`, if it moved here from there.
 */
export const sealed = (under: Partial<SealedUnder> = {}, boundTo?: string) =>
  marked({
    sealedUnder: { scope: 'userId', row: 'id', ...under },
    ...(boundTo !== undefined && { boundTo }),
  }).blob();

/**
 * When a value that may be replaced was sealed. The value opens only together with this time. Null if it was
 * sealed before the column existed.
 */
export const sealedAt = () => ours.datetime(3);

/**
 * A value of a fixed list, stored as a type of the database. Columns with the same meaning share one type. (For text with a check,
 * PostgreSQL would plan the check again for each statement.)
 */
export const enumOf = <const Values extends readonly string[]>(typeName: string, values: Values) =>
  exported.enum(values).nativeEnumName(typeName);

/** The reason that the user sees if the money did not arrive. */
export const failure = () => enumOf('failure_code', failureCodes).nullable();

/** The lease of a row: which process runs its work now. `leasedBy` is null if no process does. */
export const lease = () => ({
  /** The process that has the lease; see `Process`. */
  leasedBy: ours.uuid().nullable(),
  /** A fencing token: it counts the leases of the row, and only the process with the latest lease may write a decision. */
  leaseToken: ours.integer().default(0),
});

/** The columns of a row that is work to be run. There is no second record of it (docs/decisions/0003-the-row-is-the-work.md). */
export const work = () => ({
  /** When the work runs next, by the database's clock; null if no work remains. */
  dueAt: moment().nullable(),
  ...lease(),
});

export const pixKeyType = () => enumOf('pix_key_type', ['cpf', 'cnpj', 'phone', 'email', 'evp']);

/** The bank's answer to whether a name belongs to an account. */
export const validationStatus = () =>
  enumOf('bank_validation_status', ['match', 'close_match', 'no_match', 'not_possible', 'unavailable']);

const homeCurrencies = ['GBP', 'EUR'] as const;
export const homeCurrency = () => enumOf('home_currency', homeCurrencies);
export const currencies = ['GBP', 'EUR', 'BRL', 'USDC'] as const;

/** The columns of every row with a lifecycle. `seq` counts its transitions. Only `advance` writes these three columns. */
export const lifecycle = <State extends string>(kind: MachineName, states: readonly State[]) => ({
  state: enumOf(`${kind}_state`, states),
  seq: ours.integer(),
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
