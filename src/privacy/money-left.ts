// Whether a person's money is still in progress here, or still at the provider: then they must not be erased yet.
import { sql } from 'kysely';
import type { App } from '../app.ts';
import type { Db } from '../database/orm.ts';

/** Unfinished payments and withdrawals, among them payouts that failed and were never retried. */
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
 * Reads the balance of each of the person's accounts from the provider.
 * @throws OutcomeUnknown when one of them cannot be read, also when the provider reports that there is no such account:
 *   it would report the same of every account if our company id were wrong.
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

/** The USDC that conversions left over, in minor units, is the service's margin: it is not the person's. */
async function residueOf(db: Db, userId: string): Promise<number> {
  const { residue } = await db
    .selectFrom('pix_payments')
    .select(sql<number>`coalesce(sum(usdc_residual_minor), 0)::bigint`.as('residue'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return residue;
}
