// Counts what was held against an invariant, and keeps what did not hold.

/** `id` is what to look up: a payment's, a withdrawal's, or the provider's where nothing of ours stands behind it. */
export type Violation = { id: string; what: string };

/** Says that something must hold of `id`; `what` is told when it does not. */
export type Hold = (id: string, holds: boolean, what: string) => void;

export function createTally() {
  let checked = 0;
  const violations: Violation[] = [];
  const hold: Hold = (id, holds, what) => {
    checked += 1;
    if (!holds) violations.push({ id, what });
  };
  return { hold, result: () => ({ checked, violations }) };
}
