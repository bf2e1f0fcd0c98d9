// The invariants of an identity verification in each state.
import type { Invariant, Invariants } from './invariants.ts';
import type { KycContext, kycMachine } from './kyc.machine.ts';

const hasLevel: Invariant<KycContext> = {
  says: 'it is known to which level the user was verified',
  holds: ({ level }) => level !== null,
};
const hasNoLevel: Invariant<KycContext> = {
  says: 'the user is verified to no level',
  holds: ({ level }) => level === null,
};
const hasNoFailure: Invariant<KycContext> = {
  says: 'the reason of an earlier failure is gone',
  holds: ({ failureCode }) => failureCode === null,
};

export const kycInvariants: Invariants<typeof kycMachine> = {
  pending: [hasNoLevel, hasNoFailure],
  completed: [hasLevel, hasNoFailure],
  failed: [hasNoLevel],
};
