// How a column appears in an export: verbatim, as an amount with its currency, opened, or left out for a reason.
import { type Currency } from '../domain/currency.ts';
import { formatDecimal } from '../domain/money.ts';
import type { EncryptionContext } from '../sealing/envelope.ts';
import type { Sealer } from '../sealing/sealer.ts';

export type Row = Record<string, unknown>;

export type Exported =
  | 'verbatim'
  /** Minor units of one currency, or of the one that another property of the row names. */
  | { minorUnitsOf: Currency }
  | { minorUnitsIn: string }
  | { sealedAt: (row: Row) => EncryptionContext }
  | { without: string[]; because: string }
  | { leftOutBecause: string };

/** An amount in every form that a reader may want. */
type Amount = { currency: string; minorUnits: number; decimal: string };

/** @returns the exported values of a row, without the columns left out. */
export async function exportRow(sealer: Sealer, columns: Record<string, Exported>, row: Row): Promise<Row> {
  const shown: Row = {};
  for (const [property, how] of Object.entries(columns)) {
    if (typeof how === 'object' && 'leftOutBecause' in how) continue;
    const value = row[property];
    shown[nameOf(property)] = value === null ? null : await show(sealer, how, row, value);
  }
  return shown;
}

function show(
  sealer: Sealer,
  how: Exclude<Exported, { leftOutBecause: string }>,
  row: Row,
  value: unknown,
): unknown {
  if (how === 'verbatim') return value;
  if ('minorUnitsOf' in how) return amount(value, how.minorUnitsOf);
  if ('minorUnitsIn' in how) return amount(value, row[how.minorUnitsIn]);
  if ('without' in how)
    return Object.fromEntries(Object.entries(value as Row).filter(([key]) => !how.without.includes(key)));
  return opened(sealer, how.sealedAt(row), value as Uint8Array);
}

const amount = (minorUnits: unknown, currency: unknown): Amount => ({
  currency: currency as string,
  minorUnits: minorUnits as number,
  decimal: formatDecimal(minorUnits as number, currency as Currency),
});

/** JSON parsed, anything else as its text; nothing where the value was removed for its age. */
async function opened(sealer: Sealer, context: EncryptionContext, sealed: Uint8Array): Promise<unknown> {
  if (sealed.length === 0) return null;
  const text = await sealer.open(context, sealed);
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? value : text;
  } catch {
    return text;
  }
}

const nameOf = (property: string): string => property.replace(/(Minor|Sealed)$/, '');

/** The column of a property: `createdAt` is `created_at`. */
export const columnOf = (property: string): string =>
  property.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
