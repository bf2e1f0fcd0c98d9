// The contract's schemas under their own names. The server may send enumeration values that this version does not know: answers are
// open for them, requests are not.
import type { components } from './contract.ts';

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

export type BankDetails = OpenBankDetails<Schemas['BankDetails']>;
export type BankDetailsRequest = Schemas['BankDetailsRequest'];
export type DataRequest = AnswerOf<'DataRequest'>;
export type DataRequestInput = Schemas['DataRequestInput'];
export type HomeCurrency = Schemas['HomeCurrency'];
export type KycState = AnswerOf<'KycState'>;
export type KycStart = AnswerOf<'KycStart'>;
export type Me = AnswerOf<'Me'>;
export type PixPayment = AnswerOf<'PixPayment'>;
export type PixPaymentAccepted = AnswerOf<'PixPaymentAccepted'>;
export type PixPaymentRequest = Schemas['PixPaymentRequest'];
export type PixQuote = AnswerOf<'PixQuote'>;
export type Session = AnswerOf<'Session'>;
export type SessionRequest = Schemas['SessionRequest'];
export type Transaction = AnswerOf<'Transaction'>;
export type UserUpdate = Schemas['UserUpdate'];
export type Withdraw = AnswerOf<'Withdraw'>;

/** The values that this version knows, for tables that must cover all of them to compile. */
export type KnownFailureCode = NonNullable<Schemas['FailureCode']>;
export type KnownPaymentStatus = Schemas['PixPaymentStatus'];
export type KnownTransactionStatus = Schemas['TransactionStatus'];
export type KnownTransactionType = Schemas['TransactionType'];
export type KnownVerificationStatus = Schemas['KycStatus'];
