// Lists of the states of every machine, and of the states with each tag. Queries, indexes and constraints are built from them.
import type { AnyStateMachine } from 'xstate';
import { leafStatesOf, statesTagged } from './arrows.ts';
import type { LeafState } from './leaf-state.ts';
import { type MachineName, machines, type StateOf } from './machines.ts';
import type { StateTag } from './tags.ts';

export type StateLists = { readonly [Name in MachineName]: readonly StateOf<Name>[] };

type ListOf = <Machine extends AnyStateMachine>(machine: Machine) => readonly LeafState<Machine>[];

const ofEach = (listOf: ListOf): StateLists => ({
  kyc: listOf(machines.kyc),
  provider_account: listOf(machines.provider_account),
  pix_payment: listOf(machines.pix_payment),
  withdraw: listOf(machines.withdraw),
  contestation: listOf(machines.contestation),
  payout_refund: listOf(machines.payout_refund),
});

const tagged = (tag: StateTag): StateLists => ofEach((machine) => statesTagged(machine, tag));

export const states = ofEach(leafStatesOf);
export const unfinished = tagged('unfinished');
export const fundsReserved = tagged('fundsReserved');
export const awaitsUser = tagged('awaitsUser');
export const needsSupport = tagged('needsSupport');

/** Whether a row has ended: neither a job nor its user will change its state any more. */
export const hasEnded = (name: MachineName, state: string): boolean =>
  !includes(unfinished[name], state) || includes(needsSupport[name], state);

const includes = (list: readonly string[], state: string): boolean => list.includes(state);
