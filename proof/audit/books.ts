// Both sides of the books laid beside each other: everything the provider holds can be found from what ordered it.
import type { ConversionLeg } from '../../machines/effects.ts';
import type { MovementRow, PayoutRow, TransferRow } from '../../sandbox/store/rows.ts';
import type { Seen } from './evidence.ts';
import { type Ours, type Resource, readOurs, type Transition } from './ours.ts';
import { readTheirs, type Theirs } from './theirs.ts';

export type Books = {
  ours: Ours;
  theirs: Theirs;
  seen: Seen;
  /** Everything of this payment, withdrawal, account or verification that may exist at the provider. */
  resourcesOf: (subjectId: string) => Resource[];
  transitionsOf: (subjectId: string) => Transition[];
  /** The conversion of a payment's leg as the provider has it. */
  transferOf: (paymentId: string, leg: ConversionLeg) => TransferRow | undefined;
  /** The payout of a payment or a withdrawal as the provider has it. */
  payoutOf: (subjectId: string) => PayoutRow | undefined;
  /** What an order moved on customers' accounts, oldest first. */
  movementsOf: (handle: string) => MovementRow[];
};

export async function openBooks(databaseUrl: string, sandboxDataFolder: string, seen: Seen): Promise<Books> {
  return layOut(await readOurs(databaseUrl), readTheirs(sandboxDataFolder), seen);
}

function layOut(ours: Ours, theirs: Theirs, seen: Seen): Books {
  const resources = Map.groupBy(ours.resources, ({ subject_id: id }) => id);
  const transitions = Map.groupBy(ours.transitions, ({ subject_id: id }) => id);
  const transfers = new Map(theirs.transfers.map((row) => [row.origin_id, row]));
  const payouts = new Map(theirs.payouts.map((row) => [row.origin_id, row]));
  const movements = Map.groupBy(theirs.movements, ({ source_reference: handle }) => handle ?? '');
  const resourcesOf = (subjectId: string) => resources.get(subjectId) ?? [];
  return {
    ours,
    theirs,
    seen,
    resourcesOf,
    transitionsOf: (subjectId) => transitions.get(subjectId) ?? [],
    transferOf: (paymentId, leg) => {
      const resource = resourcesOf(paymentId).find((one) => one.kind === 'transfer' && one.leg === leg);
      return resource && transfers.get(resource.handle);
    },
    payoutOf: (subjectId) => {
      const resource = resourcesOf(subjectId).find((one) => one.kind === 'payout');
      return resource && payouts.get(resource.handle);
    },
    movementsOf: (handle) => movements.get(handle) ?? [],
  };
}

/** What movements come to on the accounts they touched, in minor units: credits less debits. */
export const netOf = (movements: MovementRow[]): number =>
  movements.reduce((sum, { direction, amount }) => sum + (direction === 'CREDIT' ? amount : -amount), 0);
