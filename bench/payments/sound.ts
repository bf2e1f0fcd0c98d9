// Checks that the money of all these payments is in the right place.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { query } from '../../harness/database/query.ts';
import { audit } from '../../proof/audit/audit.ts';
import type { Contender } from './contender.ts';

/** The pause after the last payment was seen completed. The work of its callbacks may still be running. */
const REST_MS = 3_000;

/** Runs the auditor of the chaos runs on this checkout's service: both sides' books agree once the system is at rest. */
export async function isSound({ stack, folder }: Contender): Promise<boolean> {
  await pause(REST_MS);
  const findings = await audit(stack.databaseUrl, join(folder, 'sandbox'));
  for (const { invariant, checked, violations } of findings)
    console.log(`${violations.length === 0 ? 'holds' : 'BROKEN'}  ${invariant} (${checked})`);
  return findings.every(({ violations }) => violations.length === 0);
}

/** Checks any contender: every payment is completed, and the provider made one transfer and one payout for each. */
export async function isEachDoneOnce({ name, stack, folder }: Contender): Promise<boolean> {
  const [ours] = await query<{ made: number; completed: number }>(
    stack.databaseUrl,
    `select count(*)::int as made, count(*) filter (where status = 'completed')::int as completed
     from transactions where type = 'payment'`,
  );
  const theirs = new DatabaseSync(join(folder, 'sandbox', 'sandbox.sqlite'), { readOnly: true });
  const count = (table: 'transfers' | 'payouts'): number =>
    Number(
      theirs
        .prepare(
          `select count(*) as n from ${table} where status = 'COMPLETED'
           and origin_id in (select origin_id from ${table} group by origin_id having count(*) = 1)`,
        )
        .get()?.['n'],
    );
  const counts = { ...ours, transfers: count('transfers'), payouts: count('payouts') };
  theirs.close();
  const isRight = new Set(Object.values(counts)).size === 1;
  console.log(
    `${isRight ? 'holds' : 'BROKEN'}  ${name}: each payment is done once ${JSON.stringify(counts)}`,
  );
  return isRight;
}
