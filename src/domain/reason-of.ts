// Errors in one line, for the log of failures that are expected: their stack trace says nothing.

/** Describes an error in one line with its code and its causes. An error of `fetch` names its reason only in its cause. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? ` (${String(error.code)})` : '';
  const cause = error.cause === undefined ? '' : `: ${reasonOf(error.cause)}`;
  return `${String(error)}${code}${cause}`;
}
