// Counts what was held against an invariant, and keeps what did not hold.

/** `id` is what to look up: a payment's, a withdrawal's, or the provider's where nothing of ours stands behind it. */
export type Violation = { id: string; what: string };

/** Says that something must hold of `id`; `what` is told when it does not. */
export type Hold = (id: string, holds: boolean, what: string) => void;

/** Says something about `id` that is no violation, and that a reader of the report must know all the same. */
export type List = (id: string, what: string) => void;

export function createCounts() {
  let checked = 0;
  const violations: Violation[] = [];
  const listed: Violation[] = [];
  const hold: Hold = (id, holds, what) => {
    checked += 1;
    if (!holds) violations.push({ id, what });
  };
  const list: List = (id, what) => void listed.push({ id, what });
  return { hold, list, result: () => ({ checked, violations, listed }) };
}
