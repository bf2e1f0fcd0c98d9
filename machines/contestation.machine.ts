// The lifecycle of a contestation: the user asks the recipient's bank to return a completed payment for fraud. The provider decides.
// Money that comes back is a refund of the payout, which has its own lifecycle.
import { assign, setup } from 'xstate';
import type { StateTag } from './tags.ts';

export type ContestationContext = {
  /** When the provider decided. Null until then, and if the provider does not say. */
  resolvedAt: Date | null;
};

type Resolved = { resolvedAt: Date | null };

export type ContestationEvent =
  | { type: 'contestation.opened' }
  | ({ type: 'contestation.accepted' } & Resolved)
  | ({ type: 'contestation.rejected' } & Resolved)
  /** The provider created no contestation: it refuses this one, or has none. */
  | { type: 'contestation.refused' };

const { createMachine } = setup({
  types: { context: {} as ContestationContext, events: {} as ContestationEvent, tags: {} as StateTag },
  actions: {
    recordResolution: assign(({ event }) => ('resolvedAt' in event ? { resolvedAt: event.resolvedAt } : {})),
  },
});

const accepted = { target: 'accepted', actions: 'recordResolution' } as const;
const rejected = { target: 'rejected', actions: 'recordResolution' } as const;

export const contestationMachine = createMachine({
  id: 'contestation',
  description: "Asks the recipient's bank to return a payment for fraud.",
  context: { resolvedAt: null },
  initial: 'requested',
  states: {
    requested: {
      tags: 'unfinished',
      description: 'The provider was asked and has not answered. The request is repeated under its handle.',
      on: {
        'contestation.opened': 'open',
        'contestation.accepted': accepted,
        'contestation.rejected': rejected,
        'contestation.refused': 'refused',
      },
    },
    open: {
      tags: 'unfinished',
      description: "The recipient's bank examines the payment.",
      on: { 'contestation.accepted': accepted, 'contestation.rejected': rejected },
    },
    accepted: { description: 'Money comes back, all of it or a part. It arrives as a refund of the payout.' },
    rejected: { description: 'No money comes back.' },
    refused: { description: 'The provider did not take the contestation.' },
  },
});
