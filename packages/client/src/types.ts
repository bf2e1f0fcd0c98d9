// The contract's schemas under their own names. The server may send codes and states that this version does not know yet.
import type { components } from './contract.ts';

type Schemas = components['schemas'];

export type BankDetails = Schemas['BankDetails'];
export type BankDetailsRequest = Schemas['BankDetailsRequest'];
export type DataRequest = Schemas['DataRequest'];
export type DataRequestInput = Schemas['DataRequestInput'];
export type HomeCurrency = Schemas['HomeCurrency'];
export type KycState = Schemas['KycState'];
export type KycStart = Schemas['KycStart'];
export type Me = Schemas['Me'];
export type PixPayment = Schemas['PixPayment'];
export type PixPaymentAccepted = Schemas['PixPaymentAccepted'];
export type PixPaymentRequest = Schemas['PixPaymentRequest'];
export type PixQuote = Schemas['PixQuote'];
export type Session = Schemas['Session'];
export type SessionRequest = Schemas['SessionRequest'];
export type Transaction = Schemas['Transaction'];
export type UserUpdate = Schemas['UserUpdate'];
export type Withdraw = Schemas['Withdraw'];
