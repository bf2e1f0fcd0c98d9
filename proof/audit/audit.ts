// The auditor: compares the service's database with the provider's own books, both ways, and both with what clients were
// told, one invariant after the other. It knows neither side's code: what it reads is rows and answers, and what it holds
// them to is written out in rules/. Meant for a world at rest, where nothing is under way any more.
import { openBooks } from './books.ts';
import { createCounts, type Violation } from './counts.ts';
import { type Evidence, readEvidence } from './evidence.ts';
import { invariants } from './invariants/index.ts';

export type { Violation } from './counts.ts';

export type Finding = {
  invariant: string;
  /** How many things were held against it. */
  checked: number;
  violations: Violation[];
  /** What the provider's own misbehaviour explains, and what was settled: no violation, and not to be hidden. */
  listed: Violation[];
};

/**
 * @param databaseUrl the service's database.
 * @param sandboxDataFolder where the sandbox keeps its store (its `SANDBOX_DATA`); it may be running.
 * @param evidence what others saw of the run, where somebody wrote it down.
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
    const tally = createCounts();
    check(books, tally.hold, tally.list);
    const { checked, violations, listed } = tally.result();
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
