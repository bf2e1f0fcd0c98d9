// The words for the API's statuses. A status that this version does not know is shown as in progress.
import type {
  KnownFailureCode,
  KnownPaymentStatus,
  KnownTransactionStatus,
  KnownTransactionType,
  PixPayment,
  Transaction,
} from '@ponte/client';
import type { Moved } from '../state/movements.ts';

type Tone = 'good' | 'wait' | 'bad';
export type Said = {
  title: string;
  text: string;
  tone: Tone;
  /** Whether the person has the money again, so that the amount does not count any more. */
  isMoneyBack?: true;
};

const withSupport: Said = {
  tone: 'bad',
  title: 'With support',
  text: 'A person is looking into it. You need to do nothing.',
};
const returned: Said = { ...withSupport, title: 'Returned' };
const notPaid: Said = {
  tone: 'bad',
  title: 'Not paid',
  text: 'Your money is in your balance.',
  isMoneyBack: true,
};

const recipientUnknown: Said = {
  tone: 'bad',
  title: 'No such key',
  text: 'The key leads to no account. The money is still yours.',
};

const payments: Record<KnownPaymentStatus, Said> = {
  quoted: { tone: 'wait', title: 'Confirmed', text: 'We are about to begin.' },
  converting: { tone: 'wait', title: 'Converting', text: 'Your money is being turned into reais.' },
  paying: { tone: 'wait', title: 'Paying', text: 'The reais are on their way.' },
  completed: { tone: 'good', title: 'Received', text: 'The recipient has the money.' },
  refunding: {
    tone: 'wait',
    title: 'Coming back',
    text: 'It could not be paid. Your money is coming back.',
  },
  refunded: {
    tone: 'bad',
    title: 'Refunded',
    text: 'You have back exactly what you paid.',
    isMoneyBack: true,
  },
  payout_failed: {
    tone: 'bad',
    title: 'Not received',
    text: 'The reais are waiting. You can send them again.',
  },
  manual_review: withSupport,
  failed: notPaid,
  conversion_failed: notPaid,
};

const transactions: Record<KnownTransactionStatus, Said> = {
  pending: { tone: 'wait', title: 'Under way', text: 'It is in progress.' },
  settling: { tone: 'wait', title: 'With the bank', text: 'Your bank is about to receive it.' },
  completed: { tone: 'good', title: 'Done', text: 'The money has arrived.' },
  failed: { tone: 'bad', title: 'Did not work', text: 'It did not go through.', isMoneyBack: true },
};

/** Says where the money of a failed movement is. */
const afterFailure: Record<KnownFailureCode, Said> = {
  insufficient_funds: notPaid,
  quote_expired: notPaid,
  conversion_failed: notPaid,
  account_not_active: transactions.failed,
  amount_mismatch: withSupport,
  payout_failed: payments.payout_failed,
  recipient_unknown: recipientUnknown,
  payout_returned: returned,
  refunded: payments.refunded,
  withdraw_failed: transactions.failed,
  withdraw_returned: { ...notPaid, title: 'Came back' },
  under_review: withSupport,
  provider_rejected: transactions.failed,
};

const underWay: Said = { tone: 'wait', title: 'Under way', text: 'It is in progress.' };

const isIn = <Key extends string>(table: Record<Key, unknown>, key: string): key is Key =>
  Object.hasOwn(table, key);

type PaymentStatus = Pick<PixPayment, 'status' | 'failureCode' | 'failureReason' | 'payoutFailure'>;

export function saidOfPayment({ status, failureCode, failureReason, payoutFailure }: PaymentStatus): Said {
  if (status === 'manual_review' && failureCode === 'payout_returned') return returned;
  if (status === 'payout_failed' && failureCode === 'recipient_unknown') return recipientUnknown;
  // The API's sentence says more: which limit it was, for example.
  if (status === 'payout_failed' && (payoutFailure?.code ?? 'other') !== 'other' && failureReason !== null)
    return { ...payments.payout_failed, text: failureReason };
  return isIn(payments, status) ? payments[status] : underWay;
}

/** Describes a movement. A payment says more than its transaction, and a failure says where the money is. */
export function saidOfMovement({ transaction, payment }: Moved): Said {
  const { status } = transaction;
  if (payment !== null) return saidOfPayment(payment);
  if (status === 'failed') return saidOfFailure(transaction);
  return isIn(transactions, status) ? transactions[status] : underWay;
}

/** Describes a failure. If this version does not know the code, support looks into the case. */
function saidOfFailure({ failureCode }: Transaction): Said {
  if (failureCode === null) return transactions.failed;
  return isIn(afterFailure, failureCode) ? afterFailure[failureCode] : withSupport;
}

const types: Record<KnownTransactionType, string> = {
  deposit: 'Money added',
  payment: 'PIX payment',
  withdraw: 'Withdrawal',
};

const completed: Record<KnownTransactionType, string> = {
  deposit: 'Money added',
  payment: 'PIX payment arrived',
  withdraw: 'Withdrawal arrived',
};

export const nameOfCompleted = (type: string): string =>
  isIn(completed, type) ? completed[type] : 'Completed';

export const nameOfType = (type: string): string => (isIn(types, type) ? types[type] : 'Movement');
