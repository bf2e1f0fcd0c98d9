// Identity verification: pending until the provider decides; a refusal can be overturned later, an approval cannot.
import { assign, setup } from 'xstate';

export type KycLevel = 'basic' | 'standard' | 'enhanced';
export type KycContext = { level: KycLevel | null };
export type KycEvent = { type: 'kyc.completed'; level: KycLevel } | { type: 'kyc.failed' };

const { createMachine } = setup({
  types: { context: {} as KycContext, events: {} as KycEvent },
  actions: {
    provisionAccounts: () => undefined,
    recordLevel: assign(({ event }) => ('level' in event ? { level: event.level } : {})),
  },
});

export const kycMachine = createMachine({
  id: 'kyc',
  context: { level: null },
  initial: 'pending',
  states: {
    pending: {
      on: {
        'kyc.completed': { target: 'completed', actions: 'recordLevel' },
        'kyc.failed': 'failed',
      },
    },
    completed: { entry: 'provisionAccounts' },
    failed: { on: { 'kyc.completed': { target: 'completed', actions: 'recordLevel' } } },
  },
});
