// How every machine runs: which events it refuses, which arguments it rejects, and which effects it emits.
import { expect, test } from 'vitest';
import { arrowsOf, beginningOf, leafStatesOf } from '../../machines/arrows.ts';
import { kycMachine } from '../../machines/kyc.machine.ts';
import { pixPaymentMachine } from '../../machines/pix-payment.machine.ts';
import { providerAccountMachine } from '../../machines/provider-account.machine.ts';
import { begin, stateText, statusOf, step } from '../../machines/step.ts';
import { withdrawMachine } from '../../machines/withdraw.machine.ts';
import { effectHandlers } from '../../src/start/effect-handlers.ts';

const machines = [pixPaymentMachine, withdrawMachine, kycMachine, providerAccountMachine];
const { context } = begin(pixPaymentMachine, {
  flow: 'direct',
  quotedSourceMinor: 4_300,
  amountBrlMinor: 25_000,
});

test('each machine has the name that errors show', () => {
  expect(machines.map(({ id }) => id)).toEqual(['pixPayment', 'withdraw', 'kyc', 'providerAccount']);
});

test.each([
  '',
  'paid',
  'PAYING',
  ' paying',
  'paying.',
  '.paying',
  'paying.direct',
  'converting',
  'converting.',
  'converting.leg3',
  'converting.leg1.',
  'converting.leg1.leg2',
  'leg1',
  'toString',
  'constructor',
  '__proto__',
])('a step from the unknown state %j throws', (state) => {
  expect(() => step(pixPaymentMachine, state as 'paying', context, { type: 'retry' })).toThrow(
    `pixPayment has no state ${state}`,
  );
});

test.each(['', '*', 'paid', 'xstate.init', 'xstate.stop', 'constructor'])(
  'the unknown event %j is refused in every state',
  (type) => {
    const event = { type } as unknown as { type: 'retry' };
    const taken = leafStatesOf(pixPaymentMachine).filter(
      (state) => step(pixPaymentMachine, state, context, event) !== null,
    );
    expect(taken).toEqual([]);
  },
);

test('a step does not change its arguments', () => {
  const before = structuredClone(context);
  step(pixPaymentMachine, 'quoted', Object.freeze(context), { type: 'confirmed' });
  expect(context).toEqual(before);
});

test('a state is stored as text, and shown by its top name', () => {
  expect(stateText({ converting: 'leg1' })).toBe('converting.leg1');
  expect(stateText('paying')).toBe('paying');
  expect(statusOf('converting.leg1')).toBe('converting');
  expect(statusOf('paying')).toBe('paying');
});

test('every effect that a machine emits has a handler, and the only other handler validates bank details', () => {
  const ordered = machines.flatMap((machine) => [
    ...beginningOf(machine).effects,
    ...arrowsOf(machine).flatMap(({ effects }) => effects),
  ]);
  const types = new Set(ordered.map((effect) => effect.split(':', 1)[0]));
  expect(types.add('validateBankDetails')).toEqual(new Set(Object.keys(effectHandlers)));
});
