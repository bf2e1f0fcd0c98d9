// The unfinished work of a run, from the service's own tables.
import type { Pool } from 'pg';
import { readNow, WORK_IN_PROGRESS } from '../audit/ours.ts';

/** Ids of the payments, withdrawals and accounts that are not final. */
export const unfinished = `
  select id from pix_payments where state not in
    ('completed', 'failed', 'refunded', 'manual_review', 'payout_failed', 'conversion_failed')
  union all select id from withdraws where state = 'settling'
  union all select id from provider_accounts where state <> 'active'`;

export type UnderWay = {
  /** A short summary of the unfinished work. Empty if everything is final. */
  left: string;
  /** Whether a refusal is pending because an earlier request may still be in flight. This lasts for minutes. */
  isRefusalHeld: boolean;
};

export async function underWay(pool: Pool): Promise<UnderWay> {
  const { rows } = await pool.query<Record<string, string>>(
    `
    select
      (select count(*) from (${unfinished}) as rows) as "payments, withdrawals and accounts",
      (select count(*) from effects where status in ('queued', 'exhausted')) as effects,
      (select count(*) from webhook_events where status = 'received') as callbacks,
      (select count(*) from (${WORK_IN_PROGRESS}) as work) as "pieces of work",
      (select count(*) from effects where status in ('queued', 'exhausted') and held_refusal is not null) as held`,
    [await readNow(pool)],
  );
  const { held, ...counts } = rows[0] ?? {};
  const left = Object.entries(counts).filter(([, count]) => count !== '0');
  return {
    left: left.map(([what, count]) => `${count} ${what}`).join(', '),
    isRefusalHeld: held !== '0',
  };
}
