// Identity verification: pending until the provider decides; a refusal can be overturned later, an approval cannot.
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
  description: 'Finds out who a user is, which every movement of money needs.',
  context: { level: null },
  initial: 'pending',
  states: {
    pending: {
      tags: 'unfinished',
      description: 'Nothing can move: the user has no account yet.',
      on: {
        'kyc.completed': { target: 'completed', actions: 'recordLevel' },
        'kyc.failed': 'failed',
      },
    },
    completed: {
      description:
        'The accounts that money moves through are opened as soon as the home currency is chosen, too.',
      entry: 'provisionAccounts',
    },
    failed: {
      tags: 'unfinished',
      description: 'Nothing can move, unless the provider thinks better of it later.',
      on: { 'kyc.completed': { target: 'completed', actions: 'recordLevel' } },
    },
  },
});
