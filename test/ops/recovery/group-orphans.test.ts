// Checks which orphaned provider objects belong together, and what can be rebuilt from them.
import { expect, test } from 'vitest';
import { type Account, groupOrphans, type OrphanGroup } from '../../../ops/recovery/group-orphans.ts';
import { planOf } from '../../../ops/recovery/plan.ts';
import type { PayoutDetails, TransferDetails } from '../../../src/provider/port.ts';

type Status = TransferDetails['snapshot']['status'];

const at = new Date('2026-11-21T12:00:00.000Z');
const accounts = new Map<string, Account>(
  ['ada', 'bob'].flatMap((userId) =>
    (['GBP', 'BRL', 'USDC'] as const).map((currency): [string, Account] => [
      `${userId} ${currency}`,
      { userId, currency },
    ]),
  ),
);

const pixKey = { rail: 'PIX', pixKey: 'key', pixKeyType: 'evp', recipientName: null } as const;
const ukAccount = {
  rail: 'FPS',
  details: { currency: 'GBP', accountHolderName: 'A', accountNumber: '12345678', sortCode: '12-34-56' },
} as const;

/** The details as the provider reports them, with some fields replaced. */
const changed = <Details extends TransferDetails | PayoutDetails>(
  details: Details,
  said: Partial<Details['snapshot']>,
): Details => ({ ...details, snapshot: { ...details.snapshot, ...said } });

/** A transfer from a text like `ada GBP 1000 -> USDC 1300`: the amounts that it took and delivered. The text is also its handle. */
function transfer(text: string, status: Status = 'completed'): TransferDetails {
  const [, user = '', from = '', source, to = '', destination] =
    /^(\w+) (\w+) (\d+) -> (\w+) (\d+)$/.exec(text) ?? [];
  return {
    snapshot: {
      kind: 'transfer',
      handle: text,
      providerRef: text,
      updatedAt: at,
      status,
      sourceAccountRef: `${user} ${from}`,
      destinationAccountRef: `${user} ${to}`,
      sourceAmountMinor: Number(source),
      destinationAmountMinor: Number(destination),
      sourcePlaces: from === 'USDC' ? 6 : 2,
      destinationPlaces: to === 'USDC' ? 6 : 2,
      rate: '5.00000000',
      failureReason: null,
    },
    quoteRef: 'quote',
  };
}

/** A payout from a text like `ada BRL 5000`. The text is also its handle. */
function payout(text: string, status: PayoutDetails['snapshot']['status'] = 'completed'): PayoutDetails {
  const [user = '', currency = '', amount] = text.split(' ');
  return {
    snapshot: {
      kind: 'payout',
      handle: text,
      providerRef: text,
      updatedAt: at,
      status,
      attempt: 1,
      sourceAccountRef: `${user} ${currency}`,
      destination: currency === 'BRL' ? pixKey : ukAccount,
      amountMinor: Number(amount),
      currency: currency as 'BRL',
      endToEndId: 'E1',
      voucherId: null,
      failureReason: null,
      payoutFailure: null,
      refunds: [],
    },
  };
}

const direct = 'ada GBP 1000 -> BRL 5000';
const leg1 = 'ada GBP 1000 -> USDC 1300';
const leg2 = 'ada USDC 1290 -> BRL 5000';
const reverse = 'ada USDC 1299 -> GBP 1000';
const paid = 'ada BRL 5000';
const returned = 'ada BRL 4990 -> GBP 1000';

const told: [what: string, transfers: TransferDetails[], payouts: PayoutDetails[], stories: string[]][] = [
  ['a payment in one hop', [transfer(direct)], [payout(paid)], ['payment of ada: direct payout = completed']],
  ['a payment that was not paid out', [transfer(direct)], [], ['payment of ada: direct = manual_review']],
  [
    'a payment whose conversion failed',
    [transfer(direct, 'failed')],
    [],
    ['payment of ada: direct = failed'],
  ],
  [
    'a payment whose payout failed',
    [transfer(direct)],
    [payout(paid, 'failed')],
    ['payment of ada: direct payout = manual_review'],
  ],
  [
    'a payment whose payout was returned',
    [transfer(direct)],
    [payout(paid, 'refunded')],
    ['payment of ada: direct payout = manual_review'],
  ],
  [
    'a payment whose payout is pending',
    [transfer(direct)],
    [payout(paid, 'pending')],
    ['payment of ada: direct payout = it is unfinished: adopt it after it has reached a final state'],
  ],
  [
    'two payments of the same amount',
    [transfer(direct), transfer(direct)],
    [payout(paid), payout(paid)],
    ['payment of ada: direct payout = completed', 'payment of ada: direct payout = completed'],
  ],
  [
    'payments of two users',
    [transfer(direct), transfer('bob GBP 1000 -> BRL 5000')],
    [payout('bob BRL 5000')],
    ['payment of ada: direct = manual_review', 'payment of bob: direct payout = completed'],
  ],
  [
    'a payment in two hops',
    [transfer(leg1), transfer(leg2)],
    [payout(paid)],
    ['payment of ada: leg1 leg2 payout = completed'],
  ],
  [
    'a payment that was refunded',
    [transfer(leg1), transfer(leg2, 'failed'), transfer(reverse)],
    [],
    ['payment of ada: leg1 leg2 reverse = refunded'],
  ],
  [
    'a payment whose BRL an operator returned',
    [transfer(direct), transfer(returned)],
    [payout(paid, 'failed')],
    ['payment of ada: direct return payout = refunded'],
  ],
  [
    'a payment in two hops whose BRL an operator returned',
    [transfer(leg1), transfer(leg2), transfer(returned)],
    [payout(paid, 'failed')],
    ['payment of ada: leg1 leg2 return payout = refunded'],
  ],
  [
    'a payment with two returns',
    [transfer(direct), transfer(returned), transfer(returned)],
    [payout(paid, 'failed')],
    ['payment of ada: direct return payout = refunded', 'unknown of ada: no missing payment explains it'],
  ],
  [
    'a payment whose return failed',
    [transfer(direct), transfer(returned, 'failed')],
    [payout(paid, 'failed')],
    ['payment of ada: direct return payout = manual_review'],
  ],
  [
    'a return of another amount than was debited',
    [transfer(direct), transfer('ada BRL 5000 -> GBP 999')],
    [payout(paid, 'failed')],
    ['payment of ada: direct payout = manual_review', 'unknown of ada: no missing payment explains it'],
  ],
  [
    'a payment that was refunded a penny short',
    [transfer(leg1), transfer(leg2, 'failed'), transfer('ada USDC 1299 -> GBP 999')],
    [],
    ['payment of ada: leg1 leg2 = manual_review', 'unknown of ada: no missing payment explains it'],
  ],
  [
    'a payment that was refunded without leg 2',
    [transfer(leg1), transfer(reverse)],
    [],
    ['payment of ada: leg1 reverse = failed refunded'],
  ],
  [
    'a payment that stopped after leg 1',
    [transfer(leg1)],
    [],
    ['payment of ada: leg1 = failed under_review'],
  ],
  [
    'a payment whose leg 1 failed',
    [transfer(leg1, 'failed')],
    [],
    ['payment of ada: leg1 = failed conversion_failed'],
  ],
  [
    'two payments in two hops, one within the other',
    [
      transfer(leg1),
      transfer('ada GBP 100 -> USDC 130'),
      transfer('ada USDC 129 -> BRL 500'),
      transfer(leg2),
    ],
    [payout('ada BRL 500'), payout(paid)],
    ['payment of ada: leg1 leg2 payout = completed', 'payment of ada: leg1 leg2 payout = completed'],
  ],
  ['a withdrawal', [], [payout('ada GBP 700')], ['withdraw of ada']],
  [
    'a payout without an earlier conversion',
    [],
    [payout(paid)],
    ['unknown of ada: no missing payment explains it'],
  ],
  [
    'a payout in another currency than its account',
    [transfer(direct)],
    [changed(payout(paid), { currency: 'EUR' })],
    [
      'payment of ada: direct = manual_review',
      'unknown of ada: its currency is not that of the debited account',
    ],
  ],
  [
    'a payout by a rail that its currency does not have',
    [transfer(direct)],
    [changed(payout(paid), { destination: ukAccount })],
    ['payment of ada: direct = manual_review', 'unknown of ada: its rail does not belong to its currency'],
  ],
  [
    'a withdrawal by PIX',
    [],
    [changed(payout('ada GBP 700'), { destination: pixKey })],
    ['unknown of ada: its rail does not belong to its currency'],
  ],
  [
    'a conversion in other currencies than its accounts',
    [changed(transfer(direct), { destinationPlaces: 6 })],
    [],
    ['unknown of ada: its amounts do not match the currencies of its accounts'],
  ],
  [
    'a transfer from an account of no user',
    [transfer('eve GBP 1 -> BRL 5')],
    [],
    ['unknown of null: no user of this service owns the debited account'],
  ],
];

test.each(told)('recovery decides what becomes of %s', (_what, transfers, payouts, stories) => {
  expect(tell(transfers, payouts)).toEqual(stories);
});

test('known ids take precedence over amounts, and let a payment continue', () => {
  const [one, other] = [transfer(direct), transfer('ada GBP 1001 -> BRL 5000')];
  const ids: Record<string, string> = {
    [one.snapshot.handle]: 'first',
    [paid]: 'second',
    [other.snapshot.handle]: 'second',
  };
  expect(tell([one, other], [payout(paid, 'failed')], (handle) => ids[handle] ?? null)).toEqual([
    'payment first of ada: direct = manual_review',
    'payment second of ada: direct payout = converting',
  ]);
});

function tell(
  transfers: TransferDetails[],
  payouts: PayoutDetails[],
  idOf: (handle: string) => string | null = () => null,
): string[] {
  return groupOrphans({ transfers, payouts, accountOf: (ref) => accounts.get(ref), idOf }).map(line);
}

function line(story: OrphanGroup): string {
  const whose = `${story.kind}${story.id === null ? '' : ` ${story.id}`} of ${story.userId}`;
  if (story.kind === 'withdraw') return whose;
  if (story.kind === 'unknown') return `${whose}: ${story.why}`;
  const plan = planOf(story.parts, story.id !== null);
  const end = plan.how === 'not' ? plan.why : plan.becomes;
  const failure = plan.how === 'transaction' ? ` ${plan.failure}` : '';
  return `${whose}: ${Object.keys(story.parts).join(' ')} = ${end}${failure}`;
}
