/**
 * Returns a row that must exist.
 * @param what names the row in the error, for example `the payment <id>`.
 * @throws Error if the row is undefined.
 */
export function required<Row>(row: Row | undefined, what: string): Row {
  if (row === undefined) throw new Error(`${what} is missing`);
  return row;
}
