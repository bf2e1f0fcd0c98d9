// On several database servers, a commit that writes rows of more than one place has two phases and waits for each server. Every other
// commit writes one user's rows. The commits are those of the flows that the crash points record; the audit entry about a user who has
// used up the name budget is in none of them, and its commit has two phases as well.
import { expect, test } from 'vitest';
import { readLists } from '../../proof/crash/lists.ts';
import { tablesWithPlaces } from '../../src/tables/schema/distribute.ts';

const COMMIT = /^before commit: (?<writes>.*) \((?<operation>.*)\) #\d+$/;

const places: Record<string, string> = Object.fromEntries(
  tablesWithPlaces.map(({ name, place }) => [name, typeof place === 'object' ? place.group : place]),
);

const twoPhase: Record<string, string> = {
  'createSession: identities, users': 'The first sign-in reserves the identity for its user.',
  'startKyc: objects, users': 'The provider’s owner is reserved for its user.',
  'openAccount: objects, users': 'The provider’s account is reserved for its user.',
  'dispatchWebhook: callbacks, users': 'A callback is closed in the commit of its decision.',
  'dispatchWebhook: callbacks, objects, users': 'A deposit also reserves its movement for its user.',
  'saveBankDetails: coordinator, users': 'The audit record has each change of bank details.',
  'return: coordinator, users': 'The audit record has each command of an operator.',
  'rotation: coordinator, users':
    'The rotation of the webhook secret keeps its position beside the resource that it moved.',
  'end of the rotation: coordinator, users': 'The rotation of the webhook secret ends.',
};

test('only these commits write rows of more than one place', () => {
  const found = Object.values(readLists())
    .flat()
    .flatMap((point) => {
      const { writes = '', operation } = COMMIT.exec(point)?.groups ?? {};
      const tables = writes.split(', ').map((write) => write.split(' ')[1] ?? '');
      const written = [...new Set(tables.map((table) => places[table] ?? 'unknown'))].toSorted();
      return written.length > 1 ? [`${operation}: ${written.join(', ')}`] : [];
    });
  expect([...new Set(found)].toSorted()).toEqual(Object.keys(twoPhase).toSorted());
});
