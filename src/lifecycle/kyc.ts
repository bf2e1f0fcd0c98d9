// The lifecycle of a verification: its row and its machine.

import { kycInvariants } from '../../machines/kyc.invariants.ts';
import { kycMachine } from '../../machines/kyc.machine.ts';
import type { Entity } from '../tables/rows.ts';
import { type Lifecycle, secondsBetween } from './lifecycle.ts';

export const kyc: Lifecycle<typeof kycMachine, Entity<'KycVerification'>> = {
  kind: 'kyc',
  entity: 'KycVerification',
  machine: kycMachine,
  invariants: kycInvariants,
  contextOf: ({ level, attempt, failureCode }) => ({ level, attempt, failureCode }),
  propertiesOf: ({ level, attempt, failureCode }) => ({ level, attempt, failureCode }),
  // The requests that start and restart the verification call the provider, because their response must contain the URL.
  resourceOf: () => null,
  project: async (tx, row, { status, formerStatus, context, now }) => {
    if (status !== formerStatus && status !== 'pending')
      tx.handOff.reaches({
        lifecycle: 'kyc',
        outcome: status,
        reason: context.failureCode,
        seconds: secondsBetween(row.createdAt, now),
      });
  },
};
