// Completes a Brazilian mobile number that was typed without its country code. The service never does: a recipient is not guessed.

/** The area codes of Brazil. */
const AREA = '1[1-9]|2[12478]|3[1-578]|4[1-9]|5[1345]|6[1-9]|7[134579]|8[1-9]|9[1-9]';
const MOBILE = new RegExp(`^\\+55(?<area>${AREA})(?<start>9\\d{4})(?<end>\\d{4})$`);

/**
 * @param key `+55` and the typed number as a canonical phone key, or null if they are none.
 * @returns `+55 11 98765-4321`, or null if the number is not an area code of Brazil and nine digits that begin with 9.
 */
export function completedMobile(key: string | null): string | null {
  const groups = MOBILE.exec(key ?? '')?.groups;
  return groups === undefined ? null : `+55 ${groups['area']} ${groups['start']}-${groups['end']}`;
}
