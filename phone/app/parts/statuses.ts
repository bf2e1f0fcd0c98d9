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
import { t } from '../texts/t.ts';

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
  title: t('With support'),
  text: t('A person is looking into it. You need to do nothing.'),
};
const returned: Said = { ...withSupport, title: t('Returned') };
const notPaid: Said = {
  tone: 'bad',
  title: t('Not paid'),
  text: t('Your money is in your balance.'),
  isMoneyBack: true,
};

const recipientUnknown: Said = {
  tone: 'bad',
  title: t('No such key'),
  text: t('The key leads to no account. The money is still yours.'),
};

const payments: Record<KnownPaymentStatus, Said> = {
  quoted: { tone: 'wait', title: t('Confirmed'), text: t('We are about to begin.') },
  converting: { tone: 'wait', title: t('Converting'), text: t('Your money is being turned into reais.') },
  paying: { tone: 'wait', title: t('Paying'), text: t('The reais are on their way.') },
  completed: { tone: 'good', title: t('Received'), text: t('The recipient has the money.') },
  refunding: {
    tone: 'wait',
    title: t('Coming back'),
    text: t('It could not be paid. Your money is coming back.'),
  },
  refunded: {
    tone: 'bad',
    title: t('Refunded'),
    text: t('You have back exactly what you paid.'),
    isMoneyBack: true,
  },
  payout_failed: {
    tone: 'bad',
    title: t('Not received'),
    text: t('The reais are waiting. You can send them again.'),
  },
  manual_review: withSupport,
  failed: notPaid,
  conversion_failed: notPaid,
};

const transactions: Record<KnownTransactionStatus, Said> = {
  pending: { tone: 'wait', title: t('Under way'), text: t('It is in progress.') },
  settling: { tone: 'wait', title: t('With the bank'), text: t('Your bank is about to receive it.') },
  completed: { tone: 'good', title: t('Done'), text: t('The money has arrived.') },
  failed: { tone: 'bad', title: t('Did not work'), text: t('It did not go through.'), isMoneyBack: true },
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
  withdraw_returned: { ...notPaid, title: t('Came back') },
  under_review: withSupport,
  provider_rejected: transactions.failed,
};

const underWay: Said = { tone: 'wait', title: t('Under way'), text: t('It is in progress.') };

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
  deposit: t('Money added'),
  payment: t('PIX payment'),
  withdraw: t('Withdrawal'),
};

const completed: Record<KnownTransactionType, string> = {
  deposit: t('Money added'),
  payment: t('PIX payment arrived'),
  withdraw: t('Withdrawal arrived'),
};

export const nameOfCompleted = (type: string): string =>
  isIn(completed, type) ? completed[type] : t('Completed');

export const nameOfType = (type: string): string => (isIn(types, type) ? types[type] : t('Movement'));
