// The lifecycle of an identity verification. It is pending until the provider decides. A refusal can be overturned later, an approval
// cannot.
import { assign, setup } from 'xstate';
import type { StateTag } from './tags.ts';

export type KycLevel = 'basic' | 'standard' | 'enhanced';
export type KycContext = { level: KycLevel | null };
export type KycEvent = { type: 'kyc.completed'; level: KycLevel } | { type: 'kyc.failed' };

const { createMachine } = setup({
  types: { context: {} as KycContext, events: {} as KycEvent, tags: {} as StateTag },
  actions: {
    provisionAccounts: () => undefined,
    recordLevel: assign(({ event }) => ('level' in event ? { level: event.level } : {})),
  },
});

export const kycMachine = createMachine({
  id: 'kyc',
  description: 'Verifies the identity of a user, which every movement of money requires.',
  context: { level: null },
  initial: 'pending',
  states: {
    pending: {
      tags: 'unfinished',
      description: 'No money can move: the user has no account yet.',
      on: {
        'kyc.completed': { target: 'completed', actions: 'recordLevel' },
        'kyc.failed': 'failed',
      },
    },
    completed: {
      description: 'The accounts are opened as soon as the home currency is chosen, too.',
      entry: 'provisionAccounts',
    },
    failed: {
      tags: 'unfinished',
      description: 'No money can move, unless the provider overturns the refusal later.',
      on: { 'kyc.completed': { target: 'completed', actions: 'recordLevel' } },
    },
  },
});
