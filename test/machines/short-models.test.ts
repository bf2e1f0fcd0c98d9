// Invariants of the smaller machines, for any events in any order and number.
import { ok as assert, deepEqual, equal } from 'node:assert/strict';
import { expect, test } from 'vitest';
import type { AnyStateMachine, ContextFrom, EventFromLogic, InputFrom } from 'xstate';
import { assertInvariants, type Invariants } from '../../machines/invariants.ts';
import { kycInvariants } from '../../machines/kyc.invariants.ts';
import { type KycEvent, kycMachine } from '../../machines/kyc.machine.ts';
import type { LeafState } from '../../machines/leaf-state.ts';
import { providerAccountInvariants } from '../../machines/provider-account.invariants.ts';
import {
  type ProviderAccountEvent,
  providerAccountMachine,
} from '../../machines/provider-account.machine.ts';
import { begin, step } from '../../machines/step.ts';
import { withdrawInvariants } from '../../machines/withdraw.invariants.ts';
import { type WithdrawEvent, withdrawMachine } from '../../machines/withdraw.machine.ts';
import { effectsOf } from './decisions.ts';
import { walk } from './walk.ts';

const LENGTH = 10;

/** `effects` are all effects that were ever emitted. */
type ModelState<Machine extends AnyStateMachine> = {
  state: LeafState<Machine>;
  context: ContextFrom<Machine>;
  effects: string[];
};

/** @returns the number of sequences. `holds` throws at the first step that violates it. */
function walked<Machine extends AnyStateMachine>(
  machine: Machine,
  invariants: Invariants<Machine>,
  input: InputFrom<Machine>,
  events: readonly EventFromLogic<Machine>[],
  holds: (before: ModelState<Machine>, event: EventFromLogic<Machine>, next: ModelState<Machine>) => void,
): number {
  const begun = begin(machine, input);
  const first: ModelState<Machine> = { ...begun, effects: effectsOf(begun) };
  const after = (before: ModelState<Machine>, event: EventFromLogic<Machine>) => {
    const stepped = step(machine, before.state, before.context, event);
    if (stepped === null) return null;
    assertInvariants(machine, invariants, stepped);
    const next = { ...stepped, effects: [...before.effects, ...effectsOf(stepped)] };
    holds(before, event, next);
    equal(step(machine, next.state, next.context, event), null, 'the same event again is refused');
    return next;
  };
  return walk(first, events, after, LENGTH).sequences;
}

test('a withdrawal is sent once, and stays failed once it has failed', () => {
  const ordered = { amountMinor: 1_000, currency: 'GBP' } as const;
  const reports = [ordered, { ...ordered, amountMinor: 999 }, { ...ordered, currency: 'EUR' }] as const;
  const events: WithdrawEvent[] = [
    ...reports.map((paid) => ({ type: 'off-ramp.completed', ...paid }) as const),
    ...reports.map((paid) => ({ type: 'off-ramp.failed', reason: 'withdraw_failed', ...paid }) as const),
    { type: 'off-ramp.failed', reason: 'insufficient_funds' },
    ...reports.map((paid) => ({ type: 'off-ramp.refunded', ...paid }) as const),
    { type: 'reviewed.completed' },
    { type: 'reviewed.failed' },
  ];
  const sequences = walked(withdrawMachine, withdrawInvariants, ordered, events, (before, event, next) => {
    assert(before.state !== 'failed');
    if ('amountMinor' in event) equal(event.amountMinor, 1_000, 'another amount changes nothing');
    if ('currency' in event) equal(event.currency, 'GBP', 'another currency changes nothing');
    if (before.state === 'completed') equal(event.type, 'off-ramp.refunded');
    equal(next.state === 'completed', event.type.endsWith('.completed'));
    equal(next.context.failure === null, next.state === 'completed');
    deepEqual(next.effects, ['startWithdrawPayout']);
  });
  expect(sequences).toBe(events.length ** LENGTH);
});

test('a verification that is completed stays completed with its level, and opens accounts once, and its attempts only grow', () => {
  const events: KycEvent[] = [
    { type: 'kyc.completed', level: 'basic' },
    { type: 'kyc.completed', level: 'enhanced' },
    { type: 'kyc.failed', attempt: 1, failureCode: 'other' },
    { type: 'kyc.failed', attempt: 2, failureCode: null },
    { type: 'kyc.restarted', attempt: 2 },
    { type: 'kyc.restarted', attempt: 3 },
  ];
  const sequences = walked(kycMachine, kycInvariants, undefined, events, (before, event, next) => {
    assert(before.state !== 'completed');
    equal(next.context.level, event.type === 'kyc.completed' ? event.level : null);
    assert(next.context.attempt >= before.context.attempt);
    if (event.type !== 'kyc.completed') equal(next.context.attempt, event.attempt);
    if (event.type === 'kyc.restarted' && before.state === 'pending')
      assert(event.attempt > before.context.attempt);
    equal(next.state, event.type === 'kyc.restarted' ? 'pending' : event.type.slice('kyc.'.length));
    deepEqual(next.effects, next.state === 'completed' ? ['provisionAccounts'] : []);
  });
  expect(sequences).toBe(events.length ** LENGTH);
});

test('an account is opened once and stays active', () => {
  const events: ProviderAccountEvent[] = [{ type: 'account.activated' }];
  const sequences = walked(
    providerAccountMachine,
    providerAccountInvariants,
    undefined,
    events,
    (before, _, next) => {
      deepEqual([before.state, next.state], ['provisioning', 'active']);
      deepEqual(next.effects, ['openAccount']);
    },
  );
  expect(sequences).toBe(events.length ** LENGTH);
});
