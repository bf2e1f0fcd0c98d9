// Statements run unchanged on one PostgreSQL and on Citus. This test finds the forms that Citus refuses, and statements about a user that
// would ask every server. Their tables' places are in the entities.
import { expect, test } from 'vitest';
import { statementsIn } from '../../scripts/statements.ts';
import { tablesWithPlaces } from '../../src/tables/schema/distribute.ts';
import { formsOf, type Places } from '../support/statement-forms.ts';

const places: Places = Object.fromEntries(tablesWithPlaces.map(({ name, place }) => [name, place]));

/** Statements that ask every server on purpose, with the reason. A name with `*` stands for a record of statements. */
const asksAllServers: Record<string, string[]> = {
  'The work of any user: candidates, the leases of a process, and retries at night.': [
    'effectWork.*',
    'callbackWork.*',
    'pollWork.*',
    'bringEffectsForward',
    'bringCallbacksForward',
    'listExhausted',
  ],
  'The owner of what the provider names. Then the user is known.': [
    'findResourceByHandle',
    'listNamedUsers',
    'findNamedResource',
    'findAccountByRef',
    'listAccountsByRef',
    'listRecordedMovements',
    'resumePolls',
    'listOwners',
    'findTransactionOfMovement',
    'findTransactionOfResource',
  ],
  'A metric adds the answers of all servers.': [
    'listAges',
    'countUnfinished.*',
    'countWaitingForPeople',
    'sumWaitingMoney',
    'listOldestDiscrepancies',
    'countKeysByMaster',
    'countHomeAccounts',
    'countOutbox',
    'findPaymentWaits',
  ],
  'A page of a nightly job or of a rotation, in the order of its keys.': [
    'listUnfinished.*',
    'listHomeAccounts',
    'listAccountRanges',
    'listHomeAccountsOfRange',
    'listVerifiedWithoutAccounts',
    'listIncompleteUsers',
    'listDueUsers',
    'listAppliedSnapshots',
    'listEffectsInOrder',
    'listExpiredQuotes',
    'unusedLookups.*',
    'unusedCodes.*',
    'oldNameChecks.*',
    'listKeysOfMaster',
    'listKeptPayloads',
    'listOldCallbacks',
    'unversionedValues.*',
    'hashedValues.*',
    'listRolledBack',
    'listCallbacksToBeMoved',
    'countCallbacksToBeMoved',
    'listNamedHandles',
    'setCallbackSecret',
    'deleteOldKeysPage',
    'findOldSlot',
    'findLaterPayload',
    'keepNeededPayloads',
    'deleteOldPayloadsPage',
    'isPayloadStored',
    'resolveOrderedSince',
    'countOpenOfKind',
    'resolveOvertaken',
    'listUnresolved',
  ],
  'An operator searches, or names a row by its id.': [
    'findDataRequestById',
    'findDiscrepancyById',
    'findPixPaymentById',
    'findUserOfEffect',
    'findPaymentByReceipt',
    'findResourceOfObject',
    'listUnfinishedOfType',
    'listCallbacks',
    'listCallbacksOf',
    'listClosedUsers',
    'listDataRequests',
    'listUnansweredRequests',
    'listDiscrepancies',
    'listOpenDiscrepancies',
    'listStuckEffects',
    'listPaymentsInStates',
    'listPauses',
    'listLateRows',
    'listFailingWork',
    'listByOwnId',
    'listByRelatedId',
    'listByRequest',
    'findRefundOfMovement',
    'listPartialReturns',
    'listTransactionsByAmount',
    'listOperatorsChanges',
  ],
  'An export or an erasure reads tables that are not distributed by user.': [
    'listPersonsRows.*',
    'deletePersonsRows.*',
  ],
};

const statements = (await statementsIn()).filter(({ text }) => !text.startsWith('listen '));

test.each(statements)('$name has no form that a distributed engine refuses', ({ text }) => {
  expect(formsOf(text, places).refused).toEqual([]);
});

test('every statement that asks all servers does so on purpose', () => {
  const asking = statements.filter(({ text }) => formsOf(text, places).asksAllServers.length > 0);
  const names = new Set(asking.map(({ name }) => name));
  const listed = Object.values(asksAllServers).flat();
  const isListed = (name: string): boolean =>
    listed.includes(name) || listed.includes(name.replace(/\..*/, '.*'));
  expect([...names].filter((name) => !isListed(name))).toEqual([]);
  const isUsed = (one: string): boolean =>
    [...names].some((name) => name === one || name.replace(/\..*/, '.*') === one);
  expect(listed.filter((one) => !isUsed(one))).toEqual([]);
});

const sampled = {
  users: { column: 'id', group: 'users' },
  effects: { column: 'user_id', group: 'users' },
  webhook_events: { column: 'id', group: 'callbacks' },
  processes: 'coordinator',
} as const satisfies Places;

test.each([
  ['select id from effects where id = $1 for update', 'locks rows of effects on all servers'],
  ['select id from effects where user_id = $1 and due_at < now()', 'reads the clock of a server of effects'],
  [
    'update effects set seq = 1 where user_id = $1 returning type::text',
    'calls a function or casts a column in RETURNING',
  ],
  [
    'update effects set due_at = coalesce(due_at, now()) where user_id = $1',
    'writes the clock inside CASE or COALESCE',
  ],
  [
    'select 1 from effects e join processes p on p.id = e.leased_by where e.user_id = $1',
    'joins effects with a table of the coordinator',
  ],
  [
    'select 1 from effects e join webhook_events w on w.id = e.id where e.user_id = $1',
    'joins effects, webhook_events: two groups',
  ],
  [
    'insert into effects (id, due_at) select id, now() from users where id = $1',
    'insert … select reads the clock of a server',
  ],
  [
    'update users u set x = (select e.id from effects e where e.id = u.id limit 1) where u.id = $1',
    'asks all servers for effects once for each row',
  ],
  [
    "update effects set due_at = due_at + interval '1 hour' where user_id = $1",
    'adds an interval to a column with a time zone',
  ],
  [
    'update effects set due_at = greatest(due_at, now()) - make_interval(secs => $2) where user_id = $1',
    'adds an interval to a column with a time zone',
  ],
  [
    "update effects set due_at = interval '1 hour' + due_at where user_id = $1",
    'adds an interval to a column with a time zone',
  ],
  ['delete from effects where ctid = any($1) and user_id = $2', 'reads ctid'],
])('%s is refused', (text, sentence) => {
  expect(formsOf(text, sampled).refused).toContain(sentence);
});

test.each([
  ['select 1 from effects where user_id = $1 and id = $2', []],
  ['select 1 from users u join effects e on e.user_id = u.id where u.id = $1', []],
  ['select 1 from effects where user_id = any($1::uuid[])', []],
  ['select 1 from users u where u.id = $1 and exists (select 1 from effects e where e.user_id = u.id)', []],
  ['select 1 from effects where id = $1', ['effects']],
  ['select 1 from effects where user_id = $1 or id = $2', ['effects']],
  ['select 1 from users u join effects e on e.id = u.id where u.id = $1', ['effects']],
])('%s asks all servers for %j', (text, tables) => {
  expect(formsOf(text, sampled).asksAllServers).toEqual(tables);
});
