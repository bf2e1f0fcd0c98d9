// The auditor: compares the service's database with the provider's own books, both ways, one invariant after the other.
// It trusts neither side's code: what it reads is rows. Meant for a world at rest, where nothing is under way any more.
import { openBooks } from './books.ts';
import { type Evidence, readEvidence } from './evidence.ts';
import { invariants } from './invariants/index.ts';
import { createTally, type Violation } from './tally.ts';

export type { Violation } from './tally.ts';

export type Finding = {
  invariant: string;
  /** How many things were held against it. */
  checked: number;
  violations: Violation[];
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
  return invariants.map(({ name, check }) => {
    const tally = createTally();
    check(books, tally.hold);
    return { invariant: name, ...tally.result() };
  });
}
