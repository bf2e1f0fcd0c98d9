// Unfinished verifications, accounts, payments and withdrawals, and their names in reports.

import type { StateOf } from '../../../machines/machines.ts';
import type { SubjectKind } from '../../tables/subject.ts';

export type Unfinished = { id: string; userId: string; state: StateOf; seq: number };

/** The name of each kind of row in reports. */
export const namesOf: Record<SubjectKind, string> = {
  kyc: 'verifications',
  provider_account: 'accounts',
  pix_payment: 'payments',
  withdraw: 'withdrawals',
  contestation: 'contestations',
  payout_refund: 'partial returns',
};
