// Maps each lifecycle to its table and entity, and defines the resources that effects create.
import type { ConversionLeg } from '../../machines/effects.ts';
import type { MachineName } from '../../machines/machines.ts';

export type SubjectKind = MachineName;

export const subjectTables = {
  kyc: 'kyc_verifications',
  provider_account: 'provider_accounts',
  pix_payment: 'pix_payments',
  withdraw: 'withdraws',
  contestation: 'contestations',
  payout_refund: 'payout_refunds',
} as const satisfies Record<SubjectKind, string>;

/** The entity of each lifecycle's table. */
export const subjectEntities = {
  kyc: 'KycVerification',
  provider_account: 'ProviderAccount',
  pix_payment: 'PixPayment',
  withdraw: 'Withdraw',
  contestation: 'Contestation',
  payout_refund: 'PayoutRefund',
} as const satisfies Record<SubjectKind, string>;

export type SubjectEntity = (typeof subjectEntities)[SubjectKind];

/** The resource that an effect will create at the provider, named before the request. */
export type ExpectedResource = {
  handle: string;
  kind: 'owner' | 'account' | 'transfer' | 'payout' | 'contestation';
  leg: ConversionLeg | null;
};
