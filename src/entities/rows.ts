// Rows as they are read: under the names of their properties, or of the database's columns.
import type { Selectable } from 'kysely';
import type { Entities, Tables } from './index.ts';

/** `Entity<'PixPayment'>` has `sourceAmountMinor` where `PixPaymentRow` has `source_amount_minor`. */
export type Entity<Name extends keyof Entities> = Selectable<Entities[Name]>;

export type UserRow = Selectable<Tables['users']>;
export type KycRow = Selectable<Tables['kyc_verifications']>;
export type ProviderAccountRow = Selectable<Tables['provider_accounts']>;
export type PixPaymentRow = Selectable<Tables['pix_payments']>;
export type PixQuoteRow = Selectable<Tables['pix_quotes']>;
export type WithdrawRow = Selectable<Tables['withdraws']>;
export type BankDetailsRow = Selectable<Tables['bank_details']>;
export type EffectRow = Selectable<Tables['effects']>;
/** Our record of one object of ours at the provider. */
export type ProviderResourceRow = Selectable<Tables['provider_resources']>;
