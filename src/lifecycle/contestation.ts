// The lifecycle of a contestation. Its payment shows its status.
import { contestationInvariants } from '../../machines/contestation.invariants.ts';
import { contestationMachine } from '../../machines/contestation.machine.ts';
import type { ContestationStatus } from '../domain/contestations.ts';
import { setContestationStatus } from '../tables/pix-payments/statements.ts';
import type { Entity } from '../tables/rows.ts';
import type { Lifecycle } from './lifecycle.ts';

type State = Entity<'Contestation'>['state'];

/** The status that the user sees. A contestation that the provider has not answered is on its way, so it is open. */
export const contestationStatusOf: Record<State, ContestationStatus> = {
  requested: 'open',
  open: 'open',
  accepted: 'accepted',
  rejected: 'rejected',
  refused: 'rejected',
};

export const contestation: Lifecycle<typeof contestationMachine, Entity<'Contestation'>> = {
  kind: 'contestation',
  entity: 'Contestation',
  machine: contestationMachine,
  invariants: contestationInvariants,
  contextOf: ({ resolvedAt }) => ({ resolvedAt }),
  propertiesOf: ({ resolvedAt }) => ({ resolvedAt }),
  resourceOf: () => null,
  project: async (tx, row) => {
    const { paymentId: id, userId, state } = row;
    await setContestationStatus(tx, { id, userId, contestationStatus: contestationStatusOf[state] });
  },
};
