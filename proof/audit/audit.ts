// The auditor: compares the service's database with the provider's books, both ways, and both with the answers that
// clients received, one invariant after the other. It uses neither side's code: it reads rows and answers, and its rules
// are written out in rules/. Meant for a system at rest, with no work in progress.
import { openBooks } from './books.ts';
import { createCounts, type Violation } from './counts.ts';
import { type Evidence, readEvidence } from './evidence.ts';
import { invariants } from './invariants/index.ts';

export type { Violation } from './counts.ts';

export type Finding = {
  invariant: string;
  /** How many comparisons were made. */
  checked: number;
  violations: Violation[];
  /** Differences explained by the provider's own faults, or settled: no violations, but listed. */
  listed: Violation[];
};

/**
 * @param databaseUrl the service's database.
 * @param sandboxDataFolder where the sandbox keeps its store (its `SANDBOX_DATA`); it may be running.
 * @param evidence what clients and the callback proxy recorded of the run, where they did.
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
    check(books, counts.hold, counts.list);
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
