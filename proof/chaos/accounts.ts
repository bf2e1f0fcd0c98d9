// Finds users' accounts at the provider in the service's own tables.
import { query } from '../../harness/database/query.ts';
import type { Person } from '../stack/people.ts';

/**
 * @returns the account's uuid at the provider.
 * @throws if the database does not answer or there is no such account.
 */
export async function accountOf(databaseUrl: string, { id }: Person, which: 'home' | 'BRL'): Promise<string> {
  const [account] = await query<{ ref: string }>(
    databaseUrl,
    `select provider_account_id as ref from provider_accounts account join users on users.id = account.user_id
     where users.id = $1 and account.currency::text = case $2 when 'home' then users.home_currency::text else $2 end`,
    [id, which],
  );
  if (account === undefined) throw new Error(`${id} has no ${which} account`);
  return account.ref;
}
