// Reads a number among the command-line options of a proof.

/** @throws an error that names the option, unless its text is a whole number from 1 to 999,999. */
export function wholeNumber(name: string, text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new Error(`--${name} must be a whole number, at least 1`);
  return Number(text);
}
