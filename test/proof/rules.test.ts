// The auditor's rules are written out by hand, not taken from the code. These tests compare the two: if they differ, one of them is
// wrong.
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { arrowsOf, beginningOf, leafStatesOf } from '../../machines/arrows.ts';
import { contestationMachine } from '../../machines/contestation.machine.ts';
import { kycMachine } from '../../machines/kyc.machine.ts';
import { payoutRefundMachine } from '../../machines/payout-refund.machine.ts';
import { pixPaymentMachine } from '../../machines/pix-payment.machine.ts';
import { providerAccountMachine } from '../../machines/provider-account.machine.ts';
import { withdrawMachine } from '../../machines/withdraw.machine.ts';
import { identityOf } from '../../proof/audit/rules/callback-identity.ts';
import { handles } from '../../proof/audit/rules/handles.ts';
import { refusals } from '../../proof/audit/rules/refusals.ts';
import { type SubjectKind, states, transactionStatuses } from '../../proof/audit/rules/states.ts';
import { mayFollow, steps } from '../../proof/audit/rules/steps.ts';
import { handleFor } from '../../src/domain/handles.ts';
import { refusals as refusalsOfCode } from '../../src/domain/refusals.ts';
import { conversionHandle } from '../../src/lifecycle/payout-refund.ts';
import { transactionStatuses as statusesOfCode } from '../../src/lifecycle/pix-payment.ts';
import { parseCallback } from '../../src/provider/callback.ts';

const machines: [SubjectKind, AnyStateMachine][] = [
  ['pix_payment', pixPaymentMachine],
  ['withdraw', withdrawMachine],
  ['kyc', kycMachine],
  ['provider_account', providerAccountMachine],
  ['contestation', contestationMachine],
  ['payout_refund', payoutRefundMachine],
];

describe.each(machines)('a %s', (kind, machine) => {
  test("the machine has the steps of the auditor's table, and no other", () => {
    const begun = beginningOf(machine);
    const ofCode = [
      `null begun ${begun.to} [${begun.effects.join()}]`,
      ...arrowsOf(machine).map(
        ({ from, event, to, effects }) => `${from} ${event} ${to} [${effects.join()}]`,
      ),
    ];
    const ofTable = steps[kind].map(
      ([from, event, to, orders]) => `${from} ${event} ${to} [${orders.join()}]`,
    );
    expect(ofTable.toSorted()).toEqual(ofCode.toSorted());
  });

  test("the machine has the states of the auditor's table, and no other", () => {
    expect(Object.keys(states[kind]).toSorted()).toEqual(leafStatesOf(machine).toSorted());
  });
});

test("the auditor and the service map a payment's status to the same status of its transaction", () => {
  expect(transactionStatuses).toEqual(statusesOfCode);
});

test('the auditor and the service derive the same handles', () => {
  const id = randomUUID();
  expect([
    handles.owner(id),
    handles.account(id, 'EUR'),
    handles.conversion(id, 'leg2'),
    handles.payout(id),
    handles.withdraw(id),
    handles.contestation(id),
    handles.partial(id, 1),
    handles.partial(id, 2),
  ]).toEqual([
    handleFor(id, 'owner'),
    handleFor(id, 'account-EUR'),
    handleFor(id, 'conversion-leg2'),
    handleFor(id, 'payout'),
    handleFor(id, 'withdraw'),
    handleFor(id, 'contestation'),
    conversionHandle({ movementRef: id, attempt: 1 }),
    conversionHandle({ movementRef: id, attempt: 2 }),
  ]);
});

describe('the identity of a callback', () => {
  const data = { uuid: randomUUID() };
  const time = '2026-11-22T12:00:00.000Z';
  test.each([
    { event: 'internal_transfer.updated', data: { ...data, status: 'COMPLETED' }, updated_at: time },
    { event: 'internal_transfer.updated', data: { ...data, status: 'PENDING' }, updated_at: time },
    { event: 'payout.updated', data: { ...data, status: 'ERROR' }, updated_at: time },
    { event: 'payout.updated', data: { ...data, status: 'REFUNDED', updated_at: time } },
    { event: 'account.status_updated', data: { ...data, status: 'ACTIVE' }, updated_at: time },
    { event: 'movement.created', data: { ...data, direction: 'CREDIT', kind: 'DEPOSIT' }, updated_at: time },
    { event: 'movement.created', data: { ...data, direction: 'DEBIT', kind: 'PAYOUT' }, updated_at: time },
    { event: 'something.else', data },
    { event: 'something.else', updated_at: time },
  ])(
    'the auditor and the service derive the same identity of the callback $event $data.status $data.kind',
    (body) => {
      const bytes = Buffer.from(JSON.stringify(body));
      expect(identityOf(bytes).identity).toBe(
        parseCallback(bytes, { kycEvent: null }).identity.toString('hex'),
      );
    },
  );
});

test.each(Object.entries(refusals))('the auditor and the service refuse %s with %d', (code, status) => {
  expect(refusalsOfCode[code as keyof typeof refusalsOfCode].status).toBe(status);
});

test.each([
  ['payment', 'converting', 'refunded', true],
  ['payment', 'payout_failed', 'completed', true],
  ['payment', 'completed', 'manual_review', true],
  ['payment', 'completed', 'paying', false],
  ['payment', 'refunded', 'refunding', false],
  ['withdraw', 'completed', 'failed', true],
  ['withdraw', 'failed', 'settling', false],
  ['transaction', 'pending', 'completed', true],
  ['transaction', 'failed', 'pending', false],
] as const)(
  'the auditor decides whether a %s that was shown as %s may be shown as %s: %s',
  (thing, earlier, later, isAllowed) => {
    expect(mayFollow(thing, earlier, later)).toBe(isAllowed);
  },
);
