// The states of the six lifecycles:
// which states exist, which are final, and what the app shows for each. They are written out here, independent of the audited code.

export type SubjectKind =
  | 'pix_payment'
  | 'withdraw'
  | 'kyc'
  | 'provider_account'
  | 'contestation'
  | 'payout_refund';

/** `moves`: in progress. `waits`: needs a person and may continue. `ends`: final. */
export type Standing = 'moves' | 'waits' | 'ends';

export const states: Record<SubjectKind, Record<string, Standing>> = {
  pix_payment: {
    quoted: 'moves',
    'converting.direct': 'moves',
    'converting.leg1': 'moves',
    'converting.leg2': 'moves',
    paying: 'moves',
    refunding: 'moves',
    payout_failed: 'waits',
    completed: 'ends',
    refunded: 'ends',
    failed: 'ends',
    manual_review: 'ends',
    conversion_failed: 'ends',
  },
  withdraw: { settling: 'moves', completed: 'ends', failed: 'ends' },
  kyc: { pending: 'moves', completed: 'ends', failed: 'ends' },
  provider_account: { provisioning: 'moves', active: 'ends' },
  contestation: { requested: 'moves', open: 'waits', accepted: 'ends', rejected: 'ends', refused: 'ends' },
  payout_refund: { waiting: 'waits', converting: 'moves', converted: 'ends', returned_whole: 'ends' },
};

/** Maps the status of a payment that the app shows to the status of the customer's transaction. */
export const transactionStatuses: Record<string, string> = {
  quoted: 'pending',
  converting: 'pending',
  paying: 'pending',
  refunding: 'pending',
  payout_failed: 'pending',
  completed: 'completed',
  refunded: 'failed',
  failed: 'failed',
  manual_review: 'failed',
  conversion_failed: 'failed',
};

/** The status that the app shows for a state: the state's top-level name. */
export const statusOf = (state: string): string => state.split('.', 1)[0] ?? state;
