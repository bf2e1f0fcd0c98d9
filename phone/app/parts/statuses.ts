// The words for what the API calls a status. One that this version does not know is under way.
import type { PixPayment, Transaction } from '@ponte/client';

type Tone = 'good' | 'wait' | 'bad';
export type Said = { title: string; text: string; tone: Tone };

const payments: Record<PixPayment['status'], Said> = {
  quoted: { tone: 'wait', title: 'Confirmed', text: 'We are about to begin.' },
  converting: { tone: 'wait', title: 'Converting', text: 'Your money is being turned into reais.' },
  paying: { tone: 'wait', title: 'Paying', text: 'The reais are on their way.' },
  completed: { tone: 'good', title: 'Received', text: 'The recipient has the money.' },
  refunding: {
    tone: 'wait',
    title: 'Coming back',
    text: 'It could not be converted. Your money is coming back.',
  },
  refunded: { tone: 'bad', title: 'Refunded', text: 'You have back exactly what you paid.' },
  payout_failed: {
    tone: 'bad',
    title: 'Not received',
    text: 'The reais are waiting. You can send them again.',
  },
  manual_review: {
    tone: 'bad',
    title: 'With support',
    text: 'A person is looking into it. You need to do nothing.',
  },
  failed: { tone: 'bad', title: 'Not paid', text: 'Nothing was taken for good.' },
  conversion_failed: { tone: 'bad', title: 'Not paid', text: 'Nothing was taken for good.' },
};

const transactions: Record<Transaction['status'], Said> = {
  pending: { tone: 'wait', title: 'Under way', text: 'It is being carried out.' },
  settling: { tone: 'wait', title: 'With the bank', text: 'Your bank is about to receive it.' },
  completed: { tone: 'good', title: 'Done', text: 'The money has arrived.' },
  failed: { tone: 'bad', title: 'Did not work', text: 'It did not go through.' },
};

const underWay: Said = { tone: 'wait', title: 'Under way', text: 'It is being carried out.' };

const saidIn = (known: Record<string, Said>, status: string): Said =>
  (Object.hasOwn(known, status) ? known[status] : null) ?? underWay;

export const saidOfPayment = ({ status }: { status: string }): Said => saidIn(payments, status);
export const saidOfTransaction = ({ status }: { status: string }): Said => saidIn(transactions, status);

const types: Record<Transaction['type'], string> = {
  deposit: 'Money added',
  payment: 'PIX payment',
  withdraw: 'Withdrawal',
};

export const nameOfType = (type: string): string =>
  Object.hasOwn(types, type) ? types[type as Transaction['type']] : 'Movement';
