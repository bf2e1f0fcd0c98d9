// A user's verification and accounts, for GET /me and the money operations.
import { sql } from 'kysely';
import type { StateOf } from '../../machines/machines.ts';
import type { Db } from '../database/orm.ts';
import type { Currency } from '../domain/currency.ts';
import { listOf, oneRow, type Rows } from './rows.ts';

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

export type AccountState = Pick<WalletAccount, 'currency' | 'state' | 'providerAccountId'>;

/** Which accounts the user has, and which of them can be used: for a statement that reads another row of the user's. */
export const accountStatesOf = (userId: string): Rows<AccountState[]> =>
  listOf(sql`
    select currency, state, provider_account_id as "providerAccountId" from provider_accounts
    where user_id = ${userId}`);

export const kycOf = (db: Db, userId: string) =>
  db
    .selectFrom('kyc_verifications')
    .select(['id', 'state', 'level', 'completed_at as completedAt'])
    .where('user_id', '=', userId)
    .executeTakeFirst();

export type Wallet = {
  kyc: {
    state: StateOf<'kyc'>;
    level: 'basic' | 'standard' | 'enhanced' | null;
    completedAt: string | null;
  } | null;
  home: {
    id: string;
    state: WalletAccount['state'];
    providerAccountId: string | null;
    depositInstructionsSealed: string | null;
    depositInstructionsSealedAt: string | null;
  } | null;
  /** When it was read, by the database's clock. */
  readAt: string;
  /** How long the user's balance has been kept, in milliseconds by the database's clock; null without a kept balance. */
  balanceKeptMs: number | null;
};

/** The verification, and the account in the home currency: for a statement that reads the user's row. */
export const walletOf = (userId: string): Rows<Wallet> => sql<Wallet>`json_build_object(
  'kyc', ${oneRow(sql`
    select state, level, completed_at as "completedAt" from kyc_verifications where user_id = ${userId}`)},
  'home', ${oneRow(sql`
    select id, state, provider_account_id as "providerAccountId",
      deposit_instructions_sealed as "depositInstructionsSealed",
      deposit_instructions_sealed_at as "depositInstructionsSealedAt"
    from provider_accounts account where user_id = ${userId} and currency = users.home_currency::text::currency`)},
  'readAt', now(),
  'balanceKeptMs', extract(epoch from now() - users.balance_read_at) * 1000
)`;
