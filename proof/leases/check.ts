// Checks what must hold after each scenario: the auditor's invariants, at most one outcome for each effect, one object of the
// provider for each handle, and every payment completed.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Pool } from 'pg';
import type { Finding } from '../audit/audit.ts';
import { violationsIn } from '../stack/quiesce.ts';
import type { Stack } from '../stack/stack.ts';
import { outcomesIn } from './outcomes.ts';

export type Checked = {
  rows: [what: string, figure: string][];
  violations: string[];
};

export async function check(stack: Stack, pool: Pool, findings: Finding[]): Promise<Checked> {
  const ofAuditor = violationsIn(findings);
  const checked = findings.reduce((sum, one) => sum + one.checked, 0);
  const outcomes = await outcomesIn(pool);
  const steps = await stepsOfEffects(pool);
  const objects = objectsByHandle(stack.sandboxData);
  const { payments, unfinished } = await paymentsIn(pool);
  return {
    rows: [
      ['effects with an outcome, and those with two', `${outcomes.count}, ${outcomes.twice.length}`],
      ['effects that moved a lifecycle, and those that did twice', `${steps.count}, ${steps.twice.length}`],
      ['handles at the provider, and those with two objects', `${objects.count}, ${objects.twice.length}`],
      ['payments, and those not completed', `${payments}, ${unfinished.length}`],
      ['comparisons of the auditor, and violations', `${checked}, ${ofAuditor.length}`],
    ],
    violations: [
      ...ofAuditor,
      ...outcomes.twice.map((id) => `the outcome of effect ${id} was written twice`),
      ...steps.twice.map((id) => `effect ${id} has moved its lifecycle twice`),
      ...objects.twice.map((handle) => `the provider has two objects under the handle ${handle}`),
      ...unfinished.map(({ id, state }) => `payment ${id} is ${state}`),
    ],
  };
}

/** Counts the transitions that the outcome of an effect caused. Each effect may cause at most one. */
async function stepsOfEffects(pool: Pool): Promise<{ count: number; twice: string[] }> {
  const { rows } = await pool.query<{ id: string; count: number }>(
    `select effects.id, count(*)::int as count from effects join transitions
       on cause_kind = 'job' and cause_id = effects.id::text and transitions.subject_id = effects.subject_id
     group by effects.id`,
  );
  return { count: rows.length, twice: rows.filter(({ count }) => count > 1).map(({ id }) => id) };
}

/** Owners and accounts are identified by their external id, conversions and payouts by their origin id. */
function objectsByHandle(folder: string): { count: number; twice: string[] } {
  const store = new DatabaseSync(join(folder, 'sandbox.sqlite'), { readOnly: true });
  const rows = [
    'owners.external_id',
    'accounts.external_id',
    'transfers.origin_id',
    'payouts.origin_id',
  ].flatMap((column) => {
    const [table] = column.split('.');
    const query = `select ${column} as handle, count(*) as count from ${table} group by ${column}`;
    return store.prepare(query).all() as { handle: string; count: number }[];
  });
  store.close();
  return { count: rows.length, twice: rows.filter(({ count }) => count > 1).map(({ handle }) => handle) };
}

async function paymentsIn(pool: Pool) {
  const { rows } = await pool.query<{ id: string; state: string }>('select id, state from pix_payments');
  return { payments: rows.length, unfinished: rows.filter(({ state }) => state !== 'completed') };
}
