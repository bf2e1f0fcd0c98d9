// Joins both sides' books: every object of the provider can be found from the row that created it.
import type { Seen } from './evidence.ts';
import { createExplanations, type Explanations } from './explanations.ts';
import { createFunds, type Funds } from './funds.ts';
import { type Ours, readOurs } from './ours.ts';
import type { Resource, Transition } from './ours-rows.ts';
import type { Leg } from './rules/handles.ts';
import { readTheirs, type Theirs } from './theirs.ts';
import type { MovementRow, OutgoingRow, PayoutRow, TransferRow } from './theirs-rows.ts';

export type Books = {
  ours: Ours;
  theirs: Theirs;
  seen: Seen;
  funds: Funds;
  explanations: Explanations;
  /** Every object that may exist at the provider for this payment, withdrawal, account or verification. */
  resourcesOf: (subjectId: string) => Resource[];
  transitionsOf: (subjectId: string) => Transition[];
  /** The conversion of a payment's leg, as the provider shows it. */
  transferOf: (paymentId: string, leg: Leg) => TransferRow | undefined;
  payoutOf: (subjectId: string) => PayoutRow | undefined;
  payoutsUnder: (handle: string) => PayoutRow[];
  /** What left the customers' accounts under this handle, and what came back, oldest first. */
  outgoingUnder: (handle: string) => OutgoingRow[];
  /** The movements on customers' accounts under this handle, oldest first. */
  movementsOf: (handle: string) => MovementRow[];
};

export async function openBooks(databaseUrl: string, sandboxDataFolder: string, seen: Seen): Promise<Books> {
  return layOut(await readOurs(databaseUrl), readTheirs(sandboxDataFolder), seen);
}

function layOut(ours: Ours, theirs: Theirs, seen: Seen): Books {
  const resources = Map.groupBy(ours.resources, ({ subject_id: id }) => id);
  const transitions = Map.groupBy(ours.transitions, ({ subject_id: id }) => id);
  const transfers = Map.groupBy(theirs.transfers, ({ origin_id: handle }) => handle);
  const payouts = Map.groupBy(theirs.payouts, ({ origin_id: handle }) => handle);
  const outgoing = Map.groupBy(theirs.outgoing, ({ handle }) => handle);
  const movements = Map.groupBy(theirs.movements, ({ source_reference: handle }) => handle ?? '');
  const resourcesOf = (subjectId: string) => resources.get(subjectId) ?? [];
  const transitionsOf = (subjectId: string) => transitions.get(subjectId) ?? [];
  return {
    ours,
    theirs,
    seen,
    funds: createFunds(ours, theirs, transitionsOf, seen.clocksDifferByMs),
    explanations: createExplanations(ours, theirs),
    resourcesOf,
    transitionsOf,
    transferOf: (paymentId, leg) =>
      followed(
        transfers,
        resourcesOf(paymentId).find((one) => one.kind === 'transfer' && one.leg === leg),
      ),
    payoutOf: (subjectId) =>
      followed(
        payouts,
        resourcesOf(subjectId).find(({ kind }) => kind === 'payout'),
      ),
    payoutsUnder: (handle) => payouts.get(handle) ?? [],
    outgoingUnder: (handle) => outgoing.get(handle) ?? [],
    movementsOf: (handle) => movements.get(handle) ?? [],
  };
}

/** If several objects have one handle, returns the one that our row follows. */
function followed<Row extends { uuid: string }>(
  rows: Map<string, Row[]>,
  resource: Resource | undefined,
): Row | undefined {
  const under = rows.get(resource?.handle ?? '') ?? [];
  return under.find(({ uuid }) => uuid === resource?.provider_ref) ?? under[0];
}

/** The sum of movements on the accounts that they touched, in minor units: credits less debits. */
export const netOf = (movements: MovementRow[]): number =>
  movements.reduce((sum, { direction, amount }) => sum + (direction === 'CREDIT' ? amount : -amount), 0);
