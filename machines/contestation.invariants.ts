// The invariants of a contestation in each state.
import type { ContestationContext, contestationMachine } from './contestation.machine.ts';
import type { Invariant, Invariants } from './invariants.ts';

const isUndecided: Invariant<ContestationContext> = {
  says: 'the provider has not decided',
  holds: ({ resolvedAt }) => resolvedAt === null,
};

export const contestationInvariants: Invariants<typeof contestationMachine> = {
  requested: [isUndecided],
  open: [isUndecided],
  accepted: [],
  rejected: [],
  refused: [isUndecided],
};
