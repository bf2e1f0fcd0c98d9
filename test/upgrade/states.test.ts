// Rows in every state there ever was: they load, they go on as they did, and what the machine remembers goes back into the
// columns it came from.
import { describe, expect, it } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { assertInvariants } from '../../machines/invariants.ts';
import { step } from '../../machines/step.ts';
import { kyc } from '../../src/lifecycle/kyc.ts';
import type { Lifecycle, LifecycleRow, SubjectKind } from '../../src/lifecycle/lifecycle.ts';
import { pixPayment } from '../../src/lifecycle/pix-payment.ts';
import { providerAccount } from '../../src/lifecycle/provider-account.ts';
import { withdraw } from '../../src/lifecycle/withdraw.ts';
import { states } from './fixtures.ts';

type AnyLifecycle = Lifecycle<AnyStateMachine, LifecycleRow>;
const lifecycles = {
  pix_payment: pixPayment,
  withdraw,
  kyc,
  provider_account: providerAccount,
} as unknown as Record<SubjectKind, AnyLifecycle>;

describe.each(Object.entries(states))('%s', (_name, { kind, row, steps }) => {
  const { machine, invariants, contextOf, columnsOf } = lifecycles[kind];
  const context = contextOf(row as unknown as LifecycleRow) as object;

  it('loads', () => {
    // An event that nobody knows is refused; a state that nobody knows would throw.
    expect(step(machine, row.state, context, { type: 'nothing known' })).toBeNull();
    expect(row).toMatchObject(columnsOf(context));
  });

  it.each(steps.map((one) => [one.event, one.to, one] as const))(
    'goes on by %s to %s',
    (_event, _to, { event, event_data, to, columns, effects }) => {
      const next = step(machine, row.state, context, { type: event, ...event_data });
      expect(next && { to: next.state, effects: next.effects }).toEqual({ to, effects });
      if (next) assertInvariants(machine, invariants, next);
      // Later versions may remember more.
      expect(columnsOf(next?.context as object)).toMatchObject(columns);
    },
  );
});
