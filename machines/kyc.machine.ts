// The lifecycle of an identity verification. It is pending until the provider decides. A refusal can be overturned later or followed by
// another attempt, an approval cannot.
import { assign, setup } from 'xstate';
import type { StateTag } from './tags.ts';

export type KycLevel = 'basic' | 'standard' | 'enhanced';
export const kycFailureCodes = [
  'document_unreadable',
  'document_expired',
  'name_mismatch',
  'not_eligible',
  'other',
] as const;
export type KycFailureCode = (typeof kycFailureCodes)[number];

export type KycContext = {
  level: KycLevel | null;
  /** The number of the current or last attempt, as the provider counts them. */
  attempt: number;
  /** Why the last attempt failed. Null unless the verification has failed, and if the provider does not say why. */
  failureCode: KycFailureCode | null;
};

export type KycEvent =
  | { type: 'kyc.completed'; level: KycLevel }
  | { type: 'kyc.failed'; attempt: number; failureCode: KycFailureCode | null }
  /** The provider has begun or reopened this attempt. */
  | { type: 'kyc.restarted'; attempt: number };

const { createMachine } = setup({
  types: { context: {} as KycContext, events: {} as KycEvent, tags: {} as StateTag },
  actions: {
    provisionAccounts: () => undefined,
    recordLevel: assign(({ event }) => ('level' in event ? { level: event.level, failureCode: null } : {})),
    recordFailure: assign(({ event }) =>
      event.type === 'kyc.failed' ? { attempt: event.attempt, failureCode: event.failureCode } : {},
    ),
    beginAttempt: assign(({ event }) =>
      event.type === 'kyc.restarted' ? { attempt: event.attempt, failureCode: null } : {},
    ),
  },
  guards: {
    // A late report of an attempt that a restart has replaced says nothing about the current attempt.
    isPresentAttempt: ({ context, event }) => 'attempt' in event && event.attempt >= context.attempt,
    isLaterAttempt: ({ context, event }) => 'attempt' in event && event.attempt > context.attempt,
    // The reason of a failure can become known after the failure.
    tellsReason: ({ context, event }) =>
      event.type === 'kyc.failed' &&
      event.attempt === context.attempt &&
      event.failureCode !== null &&
      event.failureCode !== context.failureCode,
  },
});

export const kycMachine = createMachine({
  id: 'kyc',
  description: 'Verifies the identity of a user, which every movement of money requires.',
  context: { level: null, attempt: 1, failureCode: null },
  initial: 'pending',
  states: {
    pending: {
      tags: 'unfinished',
      description: 'No money can move: the user has no account yet.',
      on: {
        'kyc.completed': { target: 'completed', actions: 'recordLevel' },
        'kyc.failed': { guard: 'isPresentAttempt', target: 'failed', actions: 'recordFailure' },
        // The provider has begun another attempt before its report of the failure arrived.
        'kyc.restarted': { guard: 'isLaterAttempt', actions: 'beginAttempt' },
      },
    },
    completed: {
      description:
        'The identity is verified. The accounts are opened as soon as the home currency is chosen.',
      entry: 'provisionAccounts',
    },
    failed: {
      tags: 'unfinished',
      description:
        'No money can move, unless the provider overturns the refusal later or the user tries again.',
      on: {
        'kyc.completed': { target: 'completed', actions: 'recordLevel' },
        'kyc.failed': [
          // Another attempt has begun and failed before the provider's report of its beginning arrived.
          { guard: 'isLaterAttempt', actions: 'recordFailure' },
          { guard: 'tellsReason', actions: 'recordFailure' },
        ],
        // The provider can also reopen the failed attempt.
        'kyc.restarted': { guard: 'isPresentAttempt', target: 'pending', actions: 'beginAttempt' },
      },
    },
  },
});
