// Generated from src/domain/sepa-countries.ts by scripts/generate.ts; change that, not this.
// The countries that SEPA reaches, by the first two letters of an IBAN. ibantools checks the form and the check digits of an IBAN, but its
// list of SEPA countries lacks those that joined since 2024.

/**
 * The geographical scope of the SEPA schemes: EPC409-09, "EPC List of SEPA Scheme Countries", version 8.0 of 24 December 2025. Version and
 * date are as other open-source projects cite them, and their lists have the same codes.
 * The 41 countries have one code each, and Gibraltar has its own. Other territories use the code of their country: GB in Jersey, Guernsey
 * and the Isle of Man, FR in the overseas departments. When the Council issues another version, change the list, then `npm run generate`.
 */
const SEPA_COUNTRIES: ReadonlySet<string> = new Set(
  (
    'AD AL AT BE BG CH CY CZ DE DK EE ES FI FR GB GI GR HR HU IE IS IT LI LT LU LV ' +
    'MC MD ME MK MT NL NO PL PT RO RS SE SI SK SM VA'
  ).split(' '),
);

/** Returns whether SEPA reaches the country of a canonical IBAN. A bank of that country need not take part in SEPA. */
export const isInSepa = (iban: string): boolean => SEPA_COUNTRIES.has(iban.slice(0, 2));
