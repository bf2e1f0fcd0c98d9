// The auditor: compares the service's database with the provider's books in both directions, and compares both with the answers
// that clients received. It checks one invariant after the other. It shares no code with either side: it reads rows and answers,
// and states its own rules in rules/. It is meant for a system at rest, without work in progress.
import { openBooks } from './books.ts';
import { createCounts, type Violation } from './counts.ts';
import { type Evidence, readEvidence } from './evidence.ts';
import { invariants } from './invariants/index.ts';

export type { Violation } from './counts.ts';

export type Finding = {
  invariant: string;
  checked: number;
  violations: Violation[];
  /**
   * Differences that the provider's own faults explain, or that are settled. They are not violations, but the report lists them.
   */
  listed: Violation[];
};

/**
 * Checks every invariant.
 * @param databaseUrl the service's database.
 * @param sandboxDataFolder where the sandbox keeps its store (its `SANDBOX_DATA`). The sandbox may be running.
 * @param evidence what clients and the callback proxy recorded during the run, if they recorded anything.
 * @returns a finding for each invariant, in the order of the table in invariants/index.ts.
 */
export async function audit(
  databaseUrl: string,
  sandboxDataFolder: string,
  evidence: Evidence = {},
): Promise<Finding[]> {
  const books = await openBooks(databaseUrl, sandboxDataFolder, await readEvidence(evidence));
  const { ofDifference } = books.explanations;
  return invariants.map(({ name, check, mayDiffer = false }) => {
    const counts = createCounts();
    check(books, counts.check, counts.list);
    const { checked, violations, listed } = counts.result();
    const excuses = Map.groupBy(violations, ({ id }) => mayDiffer && ofDifference(id).length > 0);
    const excused = excuses.get(true) ?? [];
    return {
      invariant: name,
      checked,
      violations: excuses.get(false) ?? [],
      listed: [
        ...listed,
        ...excused.map(({ id, what }) => ({ id, what: `${what} (${ofDifference(id).join(', ')})` })),
      ],
    };
  });
}
