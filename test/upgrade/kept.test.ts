// Completeness and stability of the fixtures: every value that can be written into a database has a fixture, and a
// fixture stays as it is, because the databases that hold it do.
import { expect, it } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { arrowsOf, leafStatesOf } from '../../machines/arrows.ts';
import type { ConversionLeg } from '../../machines/effects.ts';
import type { HandlePurpose } from '../../src/domain/handles.ts';
import { effectHandlers } from '../../src/effects/index.ts';
import { currencies } from '../../src/entities/columns.ts';
import type { SubjectKind } from '../../src/entities/subject.ts';
import { kyc } from '../../src/lifecycle/kyc.ts';
import { pixPayment } from '../../src/lifecycle/pix-payment.ts';
import { providerAccount } from '../../src/lifecycle/provider-account.ts';
import { withdraw } from '../../src/lifecycle/withdraw.ts';
import { encryptionContexts } from '../../src/sealing/encryption-contexts.ts';
import { databases, kept, present, states, valuesOf } from './fixtures.ts';

const machines: Record<SubjectKind, AnyStateMachine> = {
  pix_payment: pixPayment.machine,
  withdraw: withdraw.machine,
  kyc: kyc.machine,
  provider_account: providerAccount.machine,
};
const kinds = Object.keys(machines) as SubjectKind[];
const legs: ConversionLeg[] = ['direct', 'leg1', 'leg2', 'reverse'];

it('no fixture is changed or removed', () => {
  const gone = kept().filter((line) => !present().includes(line));
  expect(
    gone,
    'These were changed or removed, but databases in the world still hold what they say. Put them back as they were; for what is written differently from now on, add a fixture beside them.',
  ).toEqual([]);
});

it('every fixture is kept from now on', () => {
  const added = present().filter((line) => !kept().includes(line));
  expect(added, 'New fixtures: put these lines at the end of test/upgrade/fixtures/kept.txt.').toEqual([]);
});

it.each(kinds)('every state of a %s has one', (kind) => {
  const named = Object.values(states).filter((fixture) => fixture.kind === kind);
  const missing = leafStatesOf(machines[kind]).filter(
    (state) => !named.some(({ row }) => row.state === state),
  );
  expect(missing, 'Add a row in each of these states to states.json.').toEqual([]);
});

it.each(kinds)('every event that a %s takes has one in every state that takes it', (kind) => {
  const missing = arrowsOf(machines[kind]).filter(
    ({ from, event, to }) =>
      !Object.values(states).some(
        ({ kind: its, row, steps }) =>
          its === kind && row.state === from && steps.some((one) => one.event === event && one.to === to),
      ),
  );
  expect(missing, 'Add these steps to a new row of states.json, as the history keeps them.').toEqual([]);
});

it('every effect has one that waits to be carried out, with a job', () => {
  const sql = databases.map((database) => database.sql).join('\n');
  const ordered = [...sql.matchAll(/, '(\w+)', '(\{[^']*\})', 'ordered',/g)].map(([, type, params]) => ({
    type,
    params,
  }));
  const wanted = Object.keys(effectHandlers).flatMap((type) =>
    type === 'startConversion'
      ? legs.map((leg) => ({ type, params: JSON.stringify({ leg }) }))
      : [{ type, params: '{}' }],
  );
  expect(wanted.length).toBeGreaterThan(8);
  for (const effect of wanted)
    expect(ordered, 'Add it, with its job, to a new database.').toContainEqual(effect);
});

it('every place of a sealed value has one', () => {
  const sealed = new Set(valuesOf<{ place: string }>('sealed ').map(([, { place }]) => place));
  const missing = Object.keys(encryptionContexts).filter((place) => !sealed.has(place));
  expect(missing, 'Add a value sealed in each of these places to values.json.').toEqual([]);
});

it('every purpose of a handle has one', () => {
  const purposes: HandlePurpose[] = [
    'owner',
    ...currencies.map((currency) => `account-${currency}` as const),
    ...legs.map((leg) => `conversion-${leg}` as const),
    'payout',
    'withdraw',
  ];
  const named = new Set(valuesOf<{ purpose: HandlePurpose }>('handle ').map(([, { purpose }]) => purpose));
  const missing = purposes.filter((purpose) => !named.has(purpose));
  expect(missing, 'Add a handle for each of these to values.json.').toEqual([]);
});
