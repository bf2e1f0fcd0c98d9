// Which orphaned objects belong together, and what can be rebuilt of them.
import { expect, it } from 'vitest';
import type { PayoutDetails, TransferDetails } from '../../src/provider/port.ts';
import { type Account, groupOrphans, type OrphanGroup } from '../../src/recovery/group-orphans.ts';
import { planOf } from '../../src/recovery/plan.ts';

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

/** As the provider reports it, with some fields replaced. */
const changed = <Details extends TransferDetails | PayoutDetails>(
  details: Details,
  said: Partial<Details['snapshot']>,
): Details => ({ ...details, snapshot: { ...details.snapshot, ...said } });

/** `ada GBP 1000 -> USDC 1300`: what a transfer took and delivered. Handles are numbered as they come. */
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

/** `ada BRL 5000`: what a payout paid. */
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
    },
  };
}

const direct = 'ada GBP 1000 -> BRL 5000';
const leg1 = 'ada GBP 1000 -> USDC 1300';
const leg2 = 'ada USDC 1290 -> BRL 5000';
const reverse = 'ada USDC 1299 -> GBP 1000';
const paid = 'ada BRL 5000';

const told: [what: string, transfers: TransferDetails[], payouts: PayoutDetails[], stories: string[]][] = [
  ['a payment in one hop', [transfer(direct)], [payout(paid)], ['payment of ada: direct payout = completed']],
  ['one not paid out', [transfer(direct)], [], ['payment of ada: direct = manual_review']],
  ['one not converted', [transfer(direct, 'failed')], [], ['payment of ada: direct = failed']],
  [
    'one whose payout failed',
    [transfer(direct)],
    [payout(paid, 'failed')],
    ['payment of ada: direct payout = manual_review'],
  ],
  [
    'one that came back',
    [transfer(direct)],
    [payout(paid, 'refunded')],
    ['payment of ada: direct payout = manual_review'],
  ],
  [
    'one under way',
    [transfer(direct)],
    [payout(paid, 'pending')],
    ['payment of ada: direct payout = it is unfinished: adopt it when it has reached a final state'],
  ],
  [
    'two of the same amount',
    [transfer(direct), transfer(direct)],
    [payout(paid), payout(paid)],
    ['payment of ada: direct payout = completed', 'payment of ada: direct payout = completed'],
  ],
  [
    'two of different people',
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
    'one that went back',
    [transfer(leg1), transfer(leg2, 'failed'), transfer(reverse)],
    [],
    ['payment of ada: leg1 leg2 reverse = refunded'],
  ],
  [
    'one that went back a penny short',
    [transfer(leg1), transfer(leg2, 'failed'), transfer('ada USDC 1299 -> GBP 999')],
    [],
    [
      'payment of ada: leg1 leg2 = manual_review',
      'unknown of ada: nothing that it could follow from is missing here',
    ],
  ],
  [
    'one that went back without a second conversion',
    [transfer(leg1), transfer(reverse)],
    [],
    ['payment of ada: leg1 reverse = failed refunded'],
  ],
  ['one that stopped half way', [transfer(leg1)], [], ['payment of ada: leg1 = failed under_review']],
  [
    'one that never began',
    [transfer(leg1, 'failed')],
    [],
    ['payment of ada: leg1 = failed conversion_failed'],
  ],
  [
    'two in two hops, one inside the other',
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
    'a payout out of nothing',
    [],
    [payout(paid)],
    ['unknown of ada: nothing that it could follow from is missing here'],
  ],
  [
    'a payout in another currency than its account',
    [transfer(direct)],
    [changed(payout(paid), { currency: 'EUR' })],
    ['payment of ada: direct = manual_review', 'unknown of ada: it is not in the currency of its account'],
  ],
  [
    'a payout by another rail than its currency has',
    [transfer(direct)],
    [changed(payout(paid), { destination: ukAccount })],
    ['payment of ada: direct = manual_review', 'unknown of ada: its rail is not that of its currency'],
  ],
  [
    'a withdrawal by PIX',
    [],
    [changed(payout('ada GBP 700'), { destination: pixKey })],
    ['unknown of ada: its rail is not that of its currency'],
  ],
  [
    'a conversion in other currencies than its accounts',
    [changed(transfer(direct), { destinationPlaces: 6 })],
    [],
    ['unknown of ada: its amounts are not in the currencies of its accounts'],
  ],
  [
    'what is nobody’s',
    [transfer('eve GBP 1 -> BRL 5')],
    [],
    ['unknown of null: the account it was taken from belongs to nobody here'],
  ],
];

it.each(told)('%s', (_what, transfers, payouts, stories) => {
  expect(tell(transfers, payouts)).toEqual(stories);
});

it('ids that are known decide before amounts do, and let a payment go on', () => {
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
