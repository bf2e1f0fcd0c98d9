// Finds users' accounts at the provider in the service's own tables.
import { Pool } from 'pg';
import type { Person } from './people.ts';

/**
 * @returns the account's uuid at the provider.
 * @throws if the database does not answer or there is no such account.
 */
export async function accountOf(databaseUrl: string, { id }: Person, which: 'home' | 'BRL'): Promise<string> {
  const pool = new Pool({ connectionString: databaseUrl, max: 1 });
  pool.on('error', () => undefined);
  try {
    const { rows } = await pool.query<{ ref: string }>(
      `select provider_account_id as ref from provider_accounts account join users on users.id = account.user_id
       where users.id = $1 and account.currency::text = case $2 when 'home' then users.home_currency::text else $2 end`,
      [id, which],
    );
    const ref = rows[0]?.ref;
    if (ref === undefined) throw new Error(`${id} has no ${which} account`);
    return ref;
  } finally {
    await pool.end();
  }
}
