// The rows that have a machine, by the name of their lifecycle, and the resources that their effects create.
import type { ConversionLeg } from '../../machines/effects.ts';
import type { MachineName } from '../../machines/machines.ts';

export type SubjectKind = MachineName;

export const subjectTables = {
  kyc: 'kyc_verifications',
  provider_account: 'provider_accounts',
  pix_payment: 'pix_payments',
  withdraw: 'withdraws',
} as const satisfies Record<SubjectKind, string>;

/** The entities of the same rows. */
export const subjectEntities = {
  kyc: 'KycVerification',
  provider_account: 'ProviderAccount',
  pix_payment: 'PixPayment',
  withdraw: 'Withdraw',
} as const satisfies Record<SubjectKind, string>;

export type SubjectEntity = (typeof subjectEntities)[SubjectKind];

/** What an effect will create at the provider, named before the request. */
export type OrderedResource = {
  handle: string;
  kind: 'owner' | 'account' | 'transfer' | 'payout';
  leg: ConversionLeg | null;
};
