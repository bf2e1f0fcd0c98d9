// What GET /me and the money operations must know of a user beside the user's own row: verification and accounts.
import { expressionBuilder } from 'kysely';
import { jsonBuildObject, jsonObjectFrom } from 'kysely/helpers/postgres';
import type { StateOf } from '../../machines/machines.ts';
import type { Db } from '../database/orm.ts';
import type { Currency } from '../domain/currency.ts';
import type { Tables } from '../entities/index.ts';

export type WalletAccount = {
  id: string;
  currency: Currency;
  state: StateOf<'provider_account'>;
  providerAccountId: string | null;
  depositInstructionsSealed: Uint8Array | null;
};

/** Every account of the user at the provider. */
export const accountsOf = (db: Db, userId: string): Promise<WalletAccount[]> =>
  db
    .selectFrom('provider_accounts')
    .select([
      'id',
      'currency',
      'state',
      'provider_account_id as providerAccountId',
      'deposit_instructions_sealed as depositInstructionsSealed',
    ])
    .where('user_id', '=', userId)
    .execute();

export const kycOf = (db: Db, userId: string) =>
  db
    .selectFrom('kyc_verifications')
    .select(['id', 'state', 'level', 'completed_at as completedAt'])
    .where('user_id', '=', userId)
    .executeTakeFirst();

/** The verification, and the account in the home currency: for a statement that reads the user's row. */
export function walletOf(userId: string) {
  const besideUser = expressionBuilder<Tables, 'users'>();
  return jsonBuildObject({
    kyc: jsonObjectFrom(
      besideUser
        .selectFrom('kyc_verifications')
        .select(['state', 'level', 'completed_at as completedAt'])
        .where('kyc_verifications.user_id', '=', userId),
    ),
    home: jsonObjectFrom(
      besideUser
        .selectFrom('provider_accounts')
        .select([
          'provider_accounts.id',
          'state',
          'provider_account_id as providerAccountId',
          'deposit_instructions_sealed as depositInstructionsSealed',
        ])
        .where('provider_accounts.user_id', '=', userId)
        .whereRef('provider_accounts.currency', '=', 'users.home_currency'),
    ),
  });
}
