// What GET /me and the money operations must know of a user beside the user's own row: verification and accounts.
import type { StateOf } from '../../machines/machines.ts';
import type { Db } from '../database/orm.ts';
import type { Currency } from '../domain/currency.ts';

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
