// The contract's schemas under their own names. The server may send enumeration values that this version does not know: answers are
// open for them, requests are not.
import type { components, operations } from './contract.ts';

type Schemas = components['schemas'];

/** The same answer, whose enumerations may contain other values. An editor still suggests the known ones. */
type Open<Answer> = Answer extends string
  ? string extends Answer
    ? Answer
    : Answer | (string & {})
  : Answer extends readonly (infer Item)[]
    ? Open<Item>[]
    : Answer extends object
      ? { [Name in keyof Answer]: Open<Answer[Name]> }
      : Answer;
/** Bank details with open enumerations. `currency` stays closed: it says which of the two forms an account has. */
type OpenBankDetails<Form extends { currency: string }> = Form extends unknown
  ? Open<Omit<Form, 'currency'>> & Pick<Form, 'currency'>
  : never;

/** An answer as this version of the contract declares it. */
export type SchemaOf<Name extends keyof Schemas> = Schemas[Name];
/** The result type of a method, by the name of its schema. */
export type AnswerOf<Name extends keyof Schemas> = Name extends 'BankDetails'
  ? BankDetails
  : Open<Schemas[Name]>;

export interface AccountClosure extends AnswerOf<'AccountClosure'> {}
export type BankDetails = OpenBankDetails<Schemas['BankDetails']>;
export interface BankDetailsCheck extends AnswerOf<'BankDetailsCheck'> {}
export type BankDetailsCheckRequest = Schemas['BankDetailsCheckRequest'];
export type BankDetailsRequest = Schemas['BankDetailsRequest'];
export interface Contestation extends AnswerOf<'Contestation'> {}
export type ContestationRequest = Schemas['ContestationRequest'];
export interface DataRequest extends AnswerOf<'DataRequest'> {}
export type DataRequestInput = Schemas['DataRequestInput'];
export type HomeCurrency = Schemas['HomeCurrency'];
export interface KycState extends AnswerOf<'KycState'> {}
export interface KycStart extends AnswerOf<'KycStart'> {}
export interface Me extends AnswerOf<'Me'> {}
export interface PayoutFailure extends AnswerOf<'PayoutFailure'> {}
export interface PixCode extends AnswerOf<'PixCode'> {}
export type PixCodeRequest = Schemas['PixCodeRequest'];
export interface PixPayment extends AnswerOf<'PixPayment'> {}
export interface PixPaymentAccepted extends AnswerOf<'PixPaymentAccepted'> {}
export type PixPaymentRequest = Schemas['PixPaymentRequest'];
export interface PixQuote extends AnswerOf<'PixQuote'> {}
export interface PixReceipt extends AnswerOf<'PixReceipt'> {}
export interface PixRecipient extends AnswerOf<'PixRecipient'> {}
export interface PixRecipientLookup extends AnswerOf<'PixRecipientLookup'> {}
export type PixRecipientLookupRequest = Schemas['PixRecipientLookupRequest'];
export interface Session extends AnswerOf<'Session'> {}
export type SessionRequest = Schemas['SessionRequest'];
export interface Transaction extends AnswerOf<'Transaction'> {}
export interface User extends AnswerOf<'User'> {}
export type UserUpdate = Schemas['UserUpdate'];
export interface Withdraw extends AnswerOf<'Withdraw'> {}
export type WithdrawRequest = Schemas['WithdrawRequest'];

/** The values that this version knows, for tables that must cover all of them to compile. */
export type KnownFailureCode = NonNullable<Schemas['FailureCode']>;
export type KnownNameCheckStatus = Schemas['NameCheckStatus'];
export type KnownPaymentStatus = Schemas['PixPaymentStatus'];
export type KnownPayoutFailure = Schemas['PayoutFailureCode'];
export type KnownPayoutLimit = NonNullable<Schemas['PayoutLimitOrNull']>;
export type KnownTransactionStatus = Schemas['TransactionStatus'];
export type KnownTransactionType = Schemas['TransactionType'];
export type KnownVerificationFailure = NonNullable<Schemas['KycFailureCode']>;
export type KnownVerificationStatus = Schemas['KycStatus'];

type FiltersOf<Id extends 'listTransactions' | 'listPixPayments'> = Omit<
  NonNullable<operations[Id]['parameters']['query']>,
  'limit' | 'cursor'
>;

/**
 * Which transactions a list has: those that match all filters. `from` and `to` are date-times with an offset, such as those of
 * `toISOString()`. `from` is part of the period, and `to` is not. Amounts are minor units of the home currency, bounds included.
 */
export interface TransactionFilters extends FiltersOf<'listTransactions'> {}
/** Which payments a list has, as in {@link TransactionFilters}. `minAmountBrl` and `maxAmountBrl` are reais as decimal text. */
export interface PaymentFilters extends FiltersOf<'listPixPayments'> {}
