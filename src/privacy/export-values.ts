// Converts a row for the export. A column is exported verbatim, as an amount with its currency, or opened, or it is left out for a
// reason.
import { type Currency } from '../domain/currency.ts';
import { formatDecimal } from '../domain/money.ts';
import type { EncryptionContext } from '../security/envelope.ts';
import type { Sealer } from '../security/sealer.ts';
import type { ExportMark } from '../tables/export-marks.ts';

export type ExportedRow = Record<string, unknown>;

/** How an export shows a column: as its entity marks it, with the encryption context of a sealed value. */
export type Exported =
  | Exclude<ExportMark, { sealedUnder: unknown }>
  | { sealedAt: (row: ExportedRow) => EncryptionContext };

/** An exported amount, in minor units and as decimal text. */
type Amount = { currency: string; minorUnits: number; decimal: string };

/** Returns the exported values of a row, without the columns that are left out. */
export async function exportRow(
  sealer: Sealer,
  columns: Record<string, Exported>,
  row: ExportedRow,
): Promise<ExportedRow> {
  const exported: ExportedRow = {};
  for (const [property, how] of Object.entries(columns)) {
    if (typeof how === 'object' && 'leftOutBecause' in how) continue;
    const value = row[property];
    exported[nameOf(property)] = value === null ? null : await show(sealer, how, row, value);
  }
  return exported;
}

function show(
  sealer: Sealer,
  how: Exclude<Exported, { leftOutBecause: string }>,
  row: ExportedRow,
  value: unknown,
): unknown {
  if (how === 'verbatim') return value;
  if ('minorUnitsOf' in how) return amount(value, how.minorUnitsOf);
  if ('minorUnitsIn' in how) return amount(value, row[how.minorUnitsIn]);
  if ('without' in how)
    return Object.fromEntries(
      Object.entries(value as ExportedRow).filter(([key]) => !how.without.includes(key)),
    );
  return opened(sealer, how.sealedAt(row), value as Uint8Array);
}

const amount = (minorUnits: unknown, currency: unknown): Amount => ({
  currency: currency as string,
  minorUnits: minorUnits as number,
  decimal: formatDecimal(minorUnits as number, currency as Currency),
});

/** Opens a sealed value. JSON objects are parsed, other values are text. Returns null if the value was removed because of its age. */
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

/** The column name of a property: `created_at` for `createdAt`. */
export const columnOf = (property: string): string =>
  property.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
