// Checks that the fixtures are complete and stable. Every value that can be written into a database has a fixture. A fixture never
// changes, because databases that hold its value exist.
import { expect, test } from 'vitest';
import type { ConversionLeg } from '../../machines/effects.ts';
import contract from '../../openapi/generated/openapi.json' with { type: 'json' };

import { handlePurposes } from '../../src/domain/handles.ts';
import type { Snapshot } from '../../src/provider/port.ts';
import { encryptionContexts } from '../../src/security/encryption-contexts.ts';
import { type EncryptionContext, sealWith } from '../../src/security/envelope.ts';
import { effectHandlers } from '../../src/start/effect-handlers.ts';
import names from './fixtures/names.json' with { type: 'json' };
import { formerDatabase, kept, present, states, valuesOf } from './fixtures.ts';
import { kinds, statesWithoutFixture, transitionsWithoutFixture } from './lifecycles.ts';

const legs: ConversionLeg[] = ['direct', 'leg1', 'leg2', 'reverse', 'return', 'partial'];

test('no fixture is changed or removed', () => {
  const gone = kept().filter((line) => !present().includes(line));
  expect(
    gone,
    'These were changed or removed, but databases in the world still hold what they say. Put them back as they were; for what is written differently from now on, add a fixture beside them.',
  ).toEqual([]);
});

test('every fixture is listed in kept.txt', () => {
  const added = present().filter((line) => !kept().includes(line));
  expect(
    added,
    'New fixtures: `npm run fixtures:keep` puts these lines at the end of test/upgrade/fixtures/kept.txt.',
  ).toEqual([]);
});

test.each(kinds)('every state of a %s has a fixture', (kind) => {
  expect(statesWithoutFixture(kind), '`npm run fixtures:keep` adds a row in each of these states.').toEqual(
    [],
  );
});

test.each(kinds)('every event that a %s takes has a fixture in every state that takes it', (kind) => {
  expect(transitionsWithoutFixture(kind), '`npm run fixtures:keep` adds these transitions.').toEqual([]);
});

test('every effect has a fixture that waits to run, or a transition that emits it', () => {
  const { sql } = formerDatabase;
  const waiting = [...sql.matchAll(/, '(\w+)', '(\{[^']*\})', 'queued',/g)].map(([, type, params = '']) => ({
    type,
    params: JSON.stringify(JSON.parse(params)),
  }));
  const emitted = Object.values(states)
    .flatMap(({ steps }) => steps.flatMap(({ effects }) => effects))
    .map((effect) => ({
      type: effect.type,
      params: JSON.stringify('params' in effect ? effect.params : {}),
    }));
  const wanted = Object.keys(effectHandlers).flatMap((type) =>
    type === 'startConversion'
      ? legs.map((leg) => ({ type, params: JSON.stringify({ leg }) }))
      : [{ type, params: '{}' }],
  );
  expect(wanted.length).toBeGreaterThan(9);
  const isMissing = ({ type, params }: (typeof wanted)[number]) =>
    ![...waiting, ...emitted].some((one) => one.type === type && one.params === params);
  expect(wanted.filter(isMissing), 'Add a transition that emits each of these to states.json.').toEqual([]);
});

const contextOf = (place: keyof typeof encryptionContexts): EncryptionContext =>
  place === 'webhookPayload'
    ? encryptionContexts.webhookPayload('an-event', new Date())
    : encryptionContexts[place]('a-user', 'a-row', 1);

const places = Object.keys(encryptionContexts) as (keyof typeof encryptionContexts)[];

// Fixtures are never removed, so values of earlier versions of the envelope stay.
test('every place of a sealed value has a fixture in the current version of its envelope', () => {
  const sealed = new Set(
    valuesOf<{ place: string; sealed: string }>('sealed ').map(
      ([, one]) => `${one.place} ${Buffer.from(one.sealed, 'base64')[0]}`,
    ),
  );
  const versionOf = (place: (typeof places)[number]) =>
    sealWith(Buffer.alloc(32), contextOf(place), Buffer.alloc(0))[0];
  const missing = places.map((place) => `${place} ${versionOf(place)}`).filter((name) => !sealed.has(name));
  expect(missing, 'Add a value sealed in each of these places to values.json.').toEqual([]);
});

test('every sealed column has an encryption context', () => {
  const contexts = places.map(contextOf).map(({ table, column }) => `${table}.${column}`);
  // A payload moves to this table when its callback is processed, and stays bound to the column that it was sealed for.
  const columns = names.columns.filter(
    (name) => name.endsWith('_sealed') && name !== 'webhook_payloads.payload_sealed',
  );
  expect(contexts.toSorted(), 'Give the column a context of its own in encryption-contexts.ts.').toEqual(
    columns.toSorted(),
  );
});

test('every purpose of a handle has a fixture', () => {
  const named = new Set(valuesOf<{ purpose: string }>('handle ').map(([, { purpose }]) => purpose));
  const missing = handlePurposes.filter((purpose) => !named.has(purpose));
  expect(missing, 'Add a handle for each of these to values.json.').toEqual([]);
});

const keyed = Object.values(contract.paths)
  .flatMap((item) => Object.values(item))
  .filter(({ parameters }) => JSON.stringify(parameters).includes('/Idempotency-Key"'))
  .map(({ operationId }) => operationId);

test('every operation with an Idempotency-Key has a fixture', () => {
  const named = new Set(
    valuesOf<{ operation: string }>('request hash ').map(([, { operation }]) => operation),
  );
  expect(keyed.length).toBeGreaterThan(2);
  const missing = keyed.filter((operation) => !named.has(operation));
  expect(missing, 'Add a request hash for each of these to values.json.').toEqual([]);
});

const resourceKinds: Record<Snapshot['kind'], true> = {
  owner: true,
  account: true,
  transfer: true,
  payout: true,
  contestation: true,
};

test('every kind of snapshot has a fixture', () => {
  const named = new Set(valuesOf('snapshot ').map(([name]) => name.replace('snapshot ', '')));
  const missing = Object.keys(resourceKinds).filter((kind) => !named.has(kind));
  expect(missing, 'Add a snapshot of each of these, with its content, to values.json.').toEqual([]);
});
