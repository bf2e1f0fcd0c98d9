// Whether a BRL account's movements agree with its payouts, whatever names the movements have.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  type AccountPayout,
  addsUp,
  creditOf,
  describeMovements,
  isCreditedByName,
  whyNotCredit,
} from '../../src/effects/payout-movements.ts';
import type { Movement } from '../../src/provider/port.ts';

const uuids = new Map<string, string>();
const uuidOf = (name: string): string => {
  const uuid = uuids.get(name) ?? randomUUID();
  uuids.set(name, uuid);
  return uuid;
};

const refs: Record<string, (payout: string) => string | null> = {
  '': (payout) => uuidOf(`handle ${payout}`),
  '=': (payout) => uuidOf(`uuid ${payout}`).toUpperCase(),
};

/** `-a` is a debit that names the payout `a` by its handle, `+a=` a credit that names it by its uuid, `-?` a debit without a name. */
const movementsIn = (text: string): Movement[] =>
  text
    .split(' ')
    .filter(Boolean)
    .map((word, index) => {
      const [sign, payout = '', by = ''] = word;
      return {
        kind: 'movement',
        providerRef: uuidOf(`${index}${word}`),
        accountRef: uuidOf('account'),
        direction: sign === '-' ? 'debit' : 'credit',
        purpose: sign === '-' ? 'payout' : 'payout_refund',
        amountMinor: 5_000,
        currency: 'BRL',
        sourceReference: payout === '?' ? null : payout === '!' ? 'Almoço' : (refs[by]?.(payout) ?? null),
        createdAt: new Date(Date.UTC(2026, 10, 28, 12, index)),
      };
    });

/** `a1` is a failed payout after one attempt, `b2*` one that is completed in its second attempt, `c0` one that was never created. */
const payoutsIn = (text: string): AccountPayout[] =>
  text.split(' ').map((word) => {
    const [name = '', attempts, star] = word;
    return {
      names: [uuidOf(`handle ${name}`), uuidOf(`uuid ${name}`)],
      attempts: Number(attempts),
      outstanding: star === '*' ? 1 : 0,
    };
  });

test.each([
  ['one failed payout that was credited', 'a1', '-? +?', true],
  ['one without a credit', 'a1', '-?', false],
  ['one whose movements the list does not have', 'a1', '', false],
  ['a text that is no uuid, which names nothing', 'a1', '-! +!', true],
  ['a completed payout after the failed one', 'a1 b1*', '-? +? -?', true],
  ['a completed payout before the failed one', 'b1* a1', '-? -? +?', true],
  ['a pending payout that has not debited', 'a1 b1*', '-? +?', false],
  ['two failed payouts, both credited', 'a1 b1', '-? -? +? +?', true],
  ['two failed payouts, one credited', 'a1 b1', '-? -? +?', false],
  ['two failed payouts, one credited by name', 'a1 b1', '-? -? +b', false],
  ['two failed payouts, the debits named and one credited', 'a1 b1', '-a -b= +?', false],
  ['a payout that was issued again', 'a2', '-? +? -? +?', true],
  ['one that was issued again and is not credited again', 'a2', '-? +? -?', false],
  ['one whose second debit is missing', 'a2', '-? +?', false],
  ['one that completed late and was debited again', 'a1 b1*', '-? +? -? +? -?', true],
  ['a completed payout that is credited by name', 'a1 b1*', '-? -b +b', false],
  ['mixed names', 'a1 b1* c2', '-a -? +a= -c -? +? +c=', true],
  ['movements that name an unknown payout', 'a1', '-x -? +? -x', true],
  ['a credit that names an unknown payout', 'a1', '-? +x', false],
  ['a debit of its own and a credit of an unknown payout', 'a1', '-a +x=', false],
  ['a payout that was never created', 'a0', '', true],
  ['a debit although no payout was created', 'a0', '-?', false],
  ['a debit and its credit although no payout was created', 'a0', '-? +?', true],
])('movements and payouts are compared: %s', (_what, payouts, movements, isRight) => {
  expect(addsUp(payoutsIn(payouts), movementsIn(movements))).toBe(isRight);
});

test.each([
  ['a1', '-a +a', true],
  ['a1', '-a= +a', true],
  ['a1', '-? +a=', true],
  ['a1', '-a +?', false],
  ['a1', '-a +b', false],
  ['a2', '-? +a -?', false],
  ['a2', '-a +a -? +a', true],
  ['a1', '-a +a -a', false],
  ['a1', '-? +a +a', false],
  ['a0', '', false],
])('names alone show that the payout %s is credited by %s: %s', (payout, movements, isRight) => {
  const [own] = payoutsIn(payout);
  expect(own && isCreditedByName(own, movementsIn(movements))).toBe(isRight);
});

test.each([
  ['a1', '-? +?', 1, /^it can$/],
  ['a1', '-? -b +?', 2, /^it can$/],
  ['a0', '-? +?', 1, /^it can$/],
  ['a1', '-? +?', 0, /has no credit/],
  ['a1', '-? +b', 1, /names another payout/],
  ['a1', '+? -?', 0, /not later than the debit/],
  ['a1', '-b +?', 1, /not later than the debit/],
  ['a1', '-? +? -a', 1, /not later than the debit/],
  ['a2', '-? +? -?', 1, /not later than the debit/],
])('operators may name for %s in %s the movement %i: %s', (payout, text, nth, why) => {
  const [own] = payoutsIn(payout);
  const movements = movementsIn(text);
  const refusal = own && whyNotCredit(own, 5_000, movements, movements[nth]?.providerRef ?? '');
  expect(refusal ?? 'it can').toMatch(why);
  expect(own && whyNotCredit(own, 4_999, movements, movements[nth]?.providerRef ?? '')).toMatch(
    /has no credit/,
  );
});

test('a return uses the newest credit that names its payout, or else the newest that names nothing', () => {
  const [own] = payoutsIn('a1');
  if (!own) throw new Error('no payout');
  const nth = (text: string) => {
    const movements = movementsIn(text);
    const credit = creditOf(own, movements);
    return credit && movements.indexOf(credit);
  };
  expect(nth('-a +a +?')).toBe(1);
  expect(nth('-? +? +? +b')).toBe(2);
  expect(nth('-? +b')).toBeUndefined();
});

test('a sentence names the newest movements, and no reference of them', () => {
  const movements = movementsIn(Array.from({ length: 22 }, () => '-!').join(' '));
  const text = describeMovements(movements);
  expect(text).toMatch(/^2 older ones, /);
  expect(text).toContain(`${movements.at(-1)?.providerRef} debit BRL 50.00 2026-11-28T12:21:00.000Z`);
  expect(text).not.toMatch(/Almo/);
});
