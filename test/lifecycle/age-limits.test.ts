// Repeats the age limit of each state, so that a limit changes only on purpose.
import { expect, test } from 'vitest';
import { type MachineName } from '../../machines/machines.ts';
import { states, unfinished } from '../../machines/states.ts';
import { runbookPage } from '../../scripts/runbook.ts';
import { ageGroups, ageLimits, enteredUntil } from '../../src/lifecycle/age-limits.ts';
import { documentText } from '../docs/markdown.ts';

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

const lifecycles = Object.keys(states) as MachineName[];

test('every unfinished state is watched, each rail separately', () => {
  const watched = lifecycles.flatMap((lifecycle) =>
    unfinished[lifecycle].flatMap((state) =>
      (lifecycle === 'withdraw' ? ['FPS', 'SEPA'] : [null]).map((rail) => [lifecycle, state, rail]),
    ),
  );
  expect(watched.length).toBeGreaterThan(10);
  expect(ageGroups.map(({ lifecycle, state, rail }) => [lifecycle, state, rail])).toEqual(watched);
});

test('each group has its limit', () => {
  expect(
    ageGroups.map(({ lifecycle, state, rail, limitSeconds }) => [lifecycle, state, rail, limitSeconds]),
  ).toEqual([
    ['kyc', 'pending', null, null],
    ['kyc', 'failed', null, null],
    ['provider_account', 'provisioning', null, 30 * MINUTE],
    ['pix_payment', 'quoted', null, 10 * MINUTE],
    ['pix_payment', 'converting.direct', null, 10 * MINUTE],
    ['pix_payment', 'converting.leg1', null, 10 * MINUTE],
    ['pix_payment', 'converting.leg2', null, 20 * MINUTE],
    ['pix_payment', 'paying', null, HOUR],
    ['pix_payment', 'payout_failed', null, 7 * DAY],
    ['pix_payment', 'refunding', null, 30 * MINUTE],
    ['pix_payment', 'manual_review', null, 0],
    ['withdraw', 'settling', 'FPS', 4 * HOUR],
    ['withdraw', 'settling', 'SEPA', 2 * DAY],
    ['contestation', 'requested', null, DAY],
    ['contestation', 'open', null, 30 * DAY],
    ['payout_refund', 'waiting', null, 2 * DAY],
    ['payout_refund', 'converting', null, 10 * MINUTE],
  ]);
});

test('the runbook shows the limits that the service has', () => {
  expect(documentText('docs/runbook.md')).toBe(runbookPage());
});

test.each(lifecycles)('a finished %s has no limit', (name) => {
  const finished = (states[name] as readonly string[]).filter(
    (state) => !(unfinished[name] as readonly string[]).includes(state),
  );
  const limits: Record<string, unknown> = ageLimits[name];
  expect(finished.map((state) => [state, limits[state]])).toEqual(finished.map((state) => [state, null]));
});

const lateSince = (rail: 'FPS' | 'SEPA', now: string) => {
  const group = ageGroups.find((one) => one.rail === rail);
  return group && enteredUntil(group, new Date(now))?.toISOString();
};

test.each([
  ['FPS', 'a Sunday', '2026-11-29T12:00:00.000Z', '2026-11-29T08:00:00.000Z'],
  ['SEPA', 'a Friday', '2026-11-27T12:00:00.000Z', '2026-11-25T12:00:00.000Z'],
  // Withdrawals of Thursday and Friday are not late before Monday and Tuesday.
  ['SEPA', 'a Sunday', '2026-11-29T12:00:00.000Z', '2026-11-25T23:00:00.000Z'],
  ['SEPA', 'a Tuesday', '2026-12-01T12:00:00.000Z', '2026-11-27T12:00:00.000Z'],
] as const)(
  'a withdrawal by %s is late on %s, at %s, if it was accepted until %s',
  (rail, _when, now, since) => {
    expect(lateSince(rail, now)).toBe(since);
  },
);

test('a group without a limit has no late rows', () => {
  const unlimited = ageGroups.find(({ limitSeconds }) => limitSeconds === null);
  expect(unlimited && enteredUntil(unlimited, new Date())).toBeNull();
});
