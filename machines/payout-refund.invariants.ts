// The invariants of a partial return in each state.
import type { Invariant, Invariants } from './invariants.ts';
import type { PayoutRefundContext, payoutRefundMachine } from './payout-refund.machine.ts';

type Rule = Invariant<PayoutRefundContext>;

const isNotConverted: Rule = {
  says: 'nothing was credited to the home account',
  holds: ({ homeCreditMinor }) => homeCreditMinor === null,
};
const isBeingConverted: Rule = {
  says: 'the conversion is the first one or a later one',
  holds: ({ attempt }) => attempt >= 1,
};
const creditIsKnown: Rule = {
  says: 'it is known what the home account was credited',
  holds: ({ homeCreditMinor }) => homeCreditMinor !== null,
};

export const payoutRefundInvariants: Invariants<typeof payoutRefundMachine> = {
  waiting: [isNotConverted],
  converting: [isNotConverted, isBeingConverted],
  converted: [creditIsKnown, isBeingConverted],
  returned_whole: [isNotConverted],
};
