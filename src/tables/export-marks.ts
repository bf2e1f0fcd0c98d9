// Marks each column of a user's table with how an export of the user's data shows it. The mark is an option of the property: an
// entity declares `exported.text()` or `ours.integer()` instead of `p.text()`.
import { p } from '@mikro-orm/core';
import type { Currency } from '../domain/currency.ts';

/** How an export of a user's data shows a column. The strings in marks name other properties of the row. */
export type ExportMark =
  | 'verbatim'
  /** An amount in minor units: of one fixed currency, or of the currency in another property. */
  | { minorUnitsOf: Currency }
  | { minorUnitsIn: string }
  /** `boundTo` is the column for which the value was sealed, as `table.column`, if it moved here from there. */
  | { sealedUnder: SealedUnder; boundTo?: string }
  | { without: string[]; because: string }
  | { leftOutBecause: string };

/** The properties from which the encryption context of a sealed value is made. */
export type SealedUnder = {
  /** The property with the user's id, or with the time if the key of a month seals the value. */
  scope: string;
  row: string;
  /** Only for a value that may be replaced. */
  version?: string;
};

declare module '@mikro-orm/core' {
  interface EntityProperty {
    exportMark?: ExportMark;
  }
}

/** Returns MikroORM's property builders, which put the mark on every property that they build. */
export const marked = (exportMark: ExportMark): typeof p =>
  Object.fromEntries(
    Object.entries<Builder>(p).map(([type, build]) => [
      type,
      (...args: never[]) => {
        const property = build(...args);
        Object.assign(property['~options'], { exportMark });
        return property;
      },
    ]),
  ) as typeof p;

type Builder = (...args: never[]) => { '~options': object };

/** Builds properties that an export shows as they are stored. */
export const exported = marked('verbatim');

/** Builds properties that an export leaves out. The user reads the reason. */
export const leftOut = (because: string): typeof p => marked({ leftOutBecause: because });

/** Builds properties with which the service counts its own work. */
export const ours = leftOut('A technical value of the service that says nothing about you.');

/** Builds properties that name an operator. */
export const operators = leftOut('It names a member of our staff.');

/** Builds properties with the id of what caused a change: a request, a callback or an effect, or an operator's name. */
export const causes = leftOut('It may name a member of our staff. Data about you is in the other sections.');
