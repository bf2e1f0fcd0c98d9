// The invariants of a withdrawal in each state.
import type { Invariant, Invariants } from './invariants.ts';
import type { WithdrawContext, withdrawMachine } from './withdraw.machine.ts';

const hasNotFailed: Invariant<WithdrawContext> = {
  says: 'nothing has failed',
  holds: ({ failure }) => failure === null,
};
const hasReason: Invariant<WithdrawContext> = {
  says: 'there is a reason to tell the user',
  holds: ({ failure }) => failure !== null,
};

export const withdrawInvariants: Invariants<typeof withdrawMachine> = {
  settling: [hasNotFailed],
  completed: [hasNotFailed],
  failed: [hasReason],
};
