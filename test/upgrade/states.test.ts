// Rows in every state that ever existed load and continue as before. The machine's context maps back to the columns that it came
// from.
import { describe, expect, test } from 'vitest';
import { assertInvariants } from '../../machines/invariants.ts';
import { step } from '../../machines/step.ts';
import type { LifecycleRow } from '../../src/lifecycle/lifecycle.ts';
import type { SubjectKind } from '../../src/tables/subject.ts';
import { states } from './fixtures.ts';
import { lifecycles } from './lifecycles.ts';

/** Renames the columns of a fixture to properties: `amount_minor` becomes `amountMinor`. */
const namedByProperty = <Kept extends object>(kept: Kept): Kept =>
  Object.fromEntries(
    Object.entries(kept).map(([column, value]) => [
      column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  ) as Kept;

/** Columns that such rows always had, or that a migration added without a value, and that their machine reads only in later versions. */
const readSince: Partial<Record<SubjectKind, object>> = {
  pix_payment: {
    sourceAmountMinor: 1_850_000,
    brlResidualMinor: null,
    returnCapBps: null,
    payoutFailureCode: null,
    payoutFailureLimit: null,
    payoutRetryFrom: null,
    settlementAmountMinor: null,
    settlementCurrency: null,
    settledAt: null,
  },
  withdraw: { amountMinor: 1_000, currency: 'GBP' },
  kyc: { attempt: 1, failureCode: null },
};

/** Fields that later versions add to the provider's reports about such rows. The history does not change. */
const carriedSince: Partial<Record<SubjectKind, object>> = {
  pix_payment: { amountMinor: 1_000, currency: 'BRL' },
  withdraw: { amountMinor: 1_000, currency: 'GBP' },
  kyc: { attempt: 1, failureCode: null },
};
const carryMore = /^(off-ramp\..*|kyc\.failed)$/;

/** Columns that an event sets only in later versions. */
const setSince: Record<string, string[]> = { 'direct.completed': ['home_debit_minor'] };

/** Steps that a later version refuses: a payout of another amount is recorded as a discrepancy. */
const refusedSince = new Set([
  'pix_payment paying: off-ramp.completed to manual_review',
  'pix_payment payout_failed: off-ramp.completed to manual_review',
]);

describe.each(Object.entries(states))('the fixture %s', (name, { kind, row: kept, steps }) => {
  const { machine, invariants, contextOf, propertiesOf } = lifecycles[kind];
  const row = { ...readSince[kind], ...namedByProperty(kept) };
  const context = contextOf(row as unknown as LifecycleRow) as object;

  test(`the row ${name} loads`, () => {
    // The step refuses an unknown event, but throws on an unknown state.
    expect(step(machine, row.state, context, { type: 'nothing known' })).toBeNull();
    expect(row).toMatchObject(propertiesOf(context));
  });

  test.each(steps.map((one) => [one.event, one.to, one] as const))(
    `the row ${name} continues by %s to %s`,
    (_event, _to, { event, event_data, to, columns, effects }) => {
      const carried = carryMore.test(event) ? carriedSince[kind] : {};
      const next = step(machine, row.state, context, { type: event, ...carried, ...event_data });
      const isRefused = refusedSince.has(`${name}: ${event} to ${to}`);
      expect(() => next && assertInvariants(machine, invariants, next)).not.toThrow();
      // Later versions may record more.
      const unchanged = Object.entries(columns).filter(([column]) => !setSince[event]?.includes(column));
      const properties = expect.objectContaining(namedByProperty(Object.fromEntries(unchanged))) as object;
      const onwards = { to, effects, properties };
      expect(
        next && { to: next.state, effects: next.effects, properties: propertiesOf(next.context as object) },
      ).toEqual(isRefused ? null : onwards);
    },
  );
});
