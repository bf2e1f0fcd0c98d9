// Counts the comparisons of an invariant, and collects the failed ones.

/**
 * `id` is the id to search for: that of a payment or withdrawal, or the provider's id if no row of the service belongs to the
 * object.
 */
export type Violation = { id: string; what: string };

/** Asserts something about `id`; `what` describes the violation. */
export type Check = (id: string, holds: boolean, what: string) => void;

/** Lists something about `id` that is not a violation, but that a reader of the report must know. */
export type List = (id: string, what: string) => void;

export function createCounts() {
  let checked = 0;
  const violations: Violation[] = [];
  const listed: Violation[] = [];
  const check: Check = (id, holds, what) => {
    checked += 1;
    if (!holds) violations.push({ id, what });
  };
  const list: List = (id, what) => void listed.push({ id, what });
  return { check, list, result: () => ({ checked, violations, listed }) };
}
