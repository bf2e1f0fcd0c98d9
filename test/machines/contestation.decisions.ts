// The decisions about every event in every state of a contestation.
import { contestationInvariants } from '../../machines/contestation.invariants.ts';
import { type ContestationEvent, contestationMachine } from '../../machines/contestation.machine.ts';
import { decisionsOf } from './decision-table.ts';

const resolvedAt = new Date('2026-03-17T14:03:12.000Z');

const events = {
  opened: { type: 'contestation.opened' },
  accepted: { type: 'contestation.accepted', resolvedAt },
  'accepted, without a time': { type: 'contestation.accepted', resolvedAt: null },
  rejected: { type: 'contestation.rejected', resolvedAt },
  refused: { type: 'contestation.refused' },
} as const satisfies Record<string, ContestationEvent>;

const undecided = { resolvedAt: null };
const decided = { resolvedAt };
const all = Object.keys(events) as (keyof typeof events)[];

export const decisions = decisionsOf({
  machine: contestationMachine,
  invariants: contestationInvariants,
  situations: {
    requested: { state: 'requested', context: undecided },
    open: { state: 'open', context: undecided },
    accepted: { state: 'accepted', context: decided },
    rejected: { state: 'rejected', context: decided },
    refused: { state: 'refused', context: undecided },
  },
  events,
  accepted: [
    ['requested', 'opened', 'open', []],
    ['requested', 'accepted', 'accepted', [], decided],
    ['requested', 'accepted, without a time', 'accepted', []],
    ['requested', 'rejected', 'rejected', [], decided],
    ['requested', 'refused', 'refused', []],
    ['open', 'accepted', 'accepted', [], decided],
    ['open', 'accepted, without a time', 'accepted', []],
    ['open', 'rejected', 'rejected', [], decided],
  ],
  refused: { requested: [], open: ['opened', 'refused'], accepted: all, rejected: all, refused: all },
});
