// Whether money of a person's is still under way, or still with the provider: then they must not be forgotten yet.
import { sql } from 'kysely';
import type { App } from '../app.ts';
import type { Db } from '../database/orm.ts';

/** Payments and withdrawals that have not come to an end, among them payouts that failed and were never retried. */
export async function isMoneyUnderWay(db: Db, userId: string): Promise<boolean> {
  const unresolved = await db
    .selectFrom('transactions')
    .select('id')
    .where('user_id', '=', userId)
    .where('status', 'in', ['pending', 'settling'])
    .limit(1)
    .executeTakeFirst();
  return unresolved !== undefined;
}

/**
 * Asks the provider for the balance of each of the person's accounts.
 * @throws OutcomeUnknown when one of them cannot be learnt, also when the provider says that there is no such account:
 *   it would say the same of everybody's if our company id were wrong.
 */
export async function holdsMoney({ db, provider }: App, userId: string): Promise<boolean> {
  const accounts = await db
    .selectFrom('provider_accounts')
    .select(['currency', 'provider_account_id as ref'])
    .where('user_id', '=', userId)
    .where('provider_account_id', 'is not', null)
    .$narrowType<{ ref: string }>()
    .execute();
  const residueMinor = await residueOf(db, userId);
  for (const { currency, ref } of accounts) {
    const { balanceMinor } = await provider.getAccount(ref);
    if (balanceMinor > (currency === 'USDC' ? residueMinor : 0)) return true;
  }
  return false;
}

/** What conversions left over in the USDC account is the service's margin, in minor units: it is not the person's. */
async function residueOf(db: Db, userId: string): Promise<number> {
  const { residue } = await db
    .selectFrom('pix_payments')
    .select(sql<number>`coalesce(sum(usdc_residual_minor), 0)::bigint`.as('residue'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return residue;
}
