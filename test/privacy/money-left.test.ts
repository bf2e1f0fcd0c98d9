// The service owns the USDC that conversions left over, and the money that a settled payment provably left in an account. The user owns
// every other balance.
import { randomUUID } from 'node:crypto';
import { sql, type Updateable } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { handleFor } from '../../src/domain/handles.ts';
import { accountRefs } from '../../src/ledger/account-refs.ts';
import { holdsMoney, isMoneyUnderWay } from '../../src/privacy/money-left.ts';
import type { LookupResult, PayoutSnapshot, Provider, TransferSnapshot } from '../../src/provider/port.ts';
import { currencies } from '../../src/tables/columns.ts';
import type { Tables } from '../../src/tables/entities.ts';
import { byTable } from '../support/by-table.ts';
import { pay, quote, reaches } from '../support/person.ts';
import { useWorld } from '../support/use-world.ts';

const RESIDUE_MINOR = 1_500_000;

let id: string;
const { world, ada, db } = useWorld({ env: { USDC_ACCOUNTS_ENABLED: 'true' }, deposit: '50.00' });
beforeAll(async () => {
  id = await pay(ada, await quote(ada, 20));
  await reaches(ada, id, 'completed');
  await setPayment({ usdc_residual_minor: RESIDUE_MINOR });
});

const setPayment = (columns: Updateable<Tables['pix_payments']>) =>
  byTable(db()).updateTable('pix_payments').set(columns).where('id', '=', id).execute();

test.each([
  ['nothing in any account', {}, false],
  ['the residue in the USDC account', { USDC: RESIDUE_MINOR }, false],
  ['more than the residue in the USDC account', { USDC: RESIDUE_MINOR + 1 }, true],
  ['less than the residue in the home account', { GBP: RESIDUE_MINOR - 1 }, true],
  ['one centavo in the BRL account', { BRL: 1 }, true],
])('a user with %s holds money: %o', async (_what, balances: Record<string, number>, holds) => {
  expect(await holdsMoney({ ...world.service.app, provider: await reporting(balances) }, ada.userId)).toBe(
    holds,
  );
});

/** A provider that reports these balances of the user's accounts, and otherwise answers as the real one. */
async function reporting(
  balances: Record<string, number>,
  lookUps: Partial<Provider> = {},
): Promise<Provider> {
  const { provider } = world.service.app;
  const refs = await accountRefs(db(), ada.userId);
  const currencyOf = new Map(currencies.map((currency) => [refs.find(currency), currency]));
  const getAccount: Provider['getAccount'] = async (ref) => ({
    ...(await provider.getAccount(ref)),
    balanceMinor: balances[currencyOf.get(ref) ?? ''] ?? 0,
  });
  return { ...provider, getAccount, ...lookUps };
}

const USDC_DELIVERED = 3_000_000;
const USDC_TAKEN = 2_900_000;
const failed = { status: 'failed' } as const;
const pending = { status: 'pending' } as const;
const twin = { others: [] };

/** The provider's report of each object of a payment whose payout failed. Null for an object that never existed. */
type Reported = {
  leg1?: Partial<LookupResult<TransferSnapshot>>;
  leg2?: Partial<LookupResult<TransferSnapshot>> | null;
  reverse?: Partial<LookupResult<TransferSnapshot>> | null;
  return?: Partial<LookupResult<TransferSnapshot>> | null;
  payout?: Partial<LookupResult<PayoutSnapshot>> | null;
};

test.each<[string, Record<string, number>, Reported, boolean]>([
  ['its BRL and its USDC', { BRL: 2_000, USDC: USDC_DELIVERED - USDC_TAKEN }, {}, false],
  ['one centavo more than its BRL', { BRL: 2_001 }, {}, true],
  ['one unit more than its USDC', { USDC: USDC_DELIVERED - USDC_TAKEN + 1 }, {}, true],
  ['its BRL and a refunded payout', { BRL: 2_000 }, { payout: { status: 'refunded' } }, false],
  ['its BRL and no payout', { BRL: 2_000 }, { payout: null }, false],
  ['its BRL and a completed payout', { BRL: 2_000 }, { payout: { status: 'completed' } }, true],
  ['its BRL and a pending payout', { BRL: 2_000 }, { payout: pending }, true],
  ['its BRL and a payout with a twin', { BRL: 2_000 }, { payout: { ...failed, ...twin } }, true],
  ['its BRL and a failed return', { BRL: 2_000 }, { return: failed }, false],
  ['its BRL and a pending return', { BRL: 2_000 }, { return: pending }, true],
  ['what a return left', { BRL: 10 }, { return: { sourceAmountMinor: 1_990 } }, false],
  ['more than a return left', { BRL: 11 }, { return: { sourceAmountMinor: 1_990 } }, true],
  ['BRL and a pending conversion', { BRL: 2_000 }, { leg2: pending }, true],
  ['BRL and a failed conversion', { BRL: 2_000 }, { leg2: failed }, true],
  [
    'BRL of a conversion into another account',
    { BRL: 2_000 },
    { leg2: { destinationAccountRef: 'x' } },
    true,
  ],
  ['BRL of a conversion with a twin', { BRL: 2_000 }, { leg2: twin }, true],
  ['the USDC of a first conversion', { USDC: USDC_DELIVERED }, { leg2: failed }, false],
  ['the USDC before a second conversion', { USDC: USDC_DELIVERED }, { leg2: null }, false],
  ['USDC and a pending second conversion', { USDC: 1 }, { leg2: pending }, true],
  ['USDC and a pending reversal', { USDC: USDC_DELIVERED }, { leg2: failed, reverse: pending }, true],
  [
    'what a reversal left',
    { USDC: 5 },
    { leg2: null, reverse: { sourceAmountMinor: USDC_DELIVERED - 5 } },
    false,
  ],
  ['USDC and a pending first conversion', { USDC: 1 }, { leg1: pending, leg2: null }, true],
])(
  'after the settlement of a payment, a user with %s holds money: %o',
  async (_what, balances, reported, holds) => {
    await setPayment({ state: 'manual_review', failure: 'under_review', settled_at: new Date() });
    await forgetRefs(reported);
    const { provider } = world.service.app;
    const refs = await accountRefs(db(), ada.userId);
    const legs = {
      leg1: {
        destinationAmountMinor: USDC_DELIVERED,
        destinationAccountRef: refs.of('USDC'),
        ...reported.leg1,
      },
      leg2:
        reported.leg2 === null
          ? null
          : {
              sourceAmountMinor: USDC_TAKEN,
              destinationAmountMinor: 2_000,
              destinationAccountRef: refs.of('BRL'),
              ...reported.leg2,
            },
      reverse: reported.reverse ?? null,
      return: reported.return ?? null,
    };
    const [leg1, realPayout] = [
      await provider.findTransfer(handleFor(id, 'conversion-leg1')),
      await provider.findPayout(handleFor(id, 'payout')),
    ];
    if (!leg1 || !realPayout) throw new Error('the payment has no objects');
    const lookUps: Partial<Provider> = {
      findTransfer: async (handle) => {
        for (const [leg, shown] of Object.entries(legs))
          if (handle === handleFor(id, `conversion-${leg as 'leg1'}`)) return shown && { ...leg1, ...shown };
        throw new Error(`no conversion has the handle ${handle}`);
      },
      findPayout: async () =>
        reported.payout === null ? null : { ...realPayout, ...failed, ...reported.payout },
    };
    const app = { ...world.service.app, provider: await reporting(balances, lookUps) };
    expect(await holdsMoney(app, ada.userId)).toBe(holds);
  },
);

/** Makes our rows know no object that the provider reports as never having existed. */
const forgetRefs = (reported: Reported) =>
  byTable(db())
    .updateTable('provider_resources')
    .set((row) => ({
      provider_ref: row
        .case()
        .when('leg', '=', 'leg2')
        .then(reported.leg2 === null ? null : randomUUID())
        .when('kind', '=', 'payout')
        .then(reported.payout === null ? null : randomUUID())
        .else(row.ref('provider_ref'))
        .end(),
    }))
    .where('subject_id', '=', id)
    .execute();

test('a payout that existed and is not found may have taken the BRL', async () => {
  await forgetRefs({});
  const lookUps: Partial<Provider> = { findPayout: async () => null };
  const app = { ...world.service.app, provider: await reporting({ BRL: 2_000 }, lookUps) };
  expect(await holdsMoney(app, ada.userId)).toBe(true);
});

const isUnderWay = () => isMoneyUnderWay(db(), ada.userId);

test('a payment in manual_review is money under way until it is settled or its debit is back', async () => {
  await setPayment({
    state: 'manual_review',
    failure: 'under_review',
    settled_at: null,
    home_debit_minor: 300,
  });
  expect(await isUnderWay()).toBe(true);
  await setPayment({ settled_at: new Date() });
  expect(await isUnderWay()).toBe(false);
  await setPayment({ settled_at: null });
  for (const [destinationAmountMinor, expected] of [
    [299, true],
    [300, false],
  ] as const) {
    await sql`
      insert into discrepancies (id, user_id, subject_kind, subject_id, handle, kind, fingerprint, provider_ref, event,
        event_data, state, snapshot_updated_at, cause_kind, cause_id, occurred_at)
      values (gen_random_uuid(), ${ada.userId}, 'pix_payment', ${id}, gen_random_uuid(), 'contradicted_state', 'a', null,
        'return.completed', ${JSON.stringify({ destinationAmountMinor })}::jsonb, 'manual_review', now(), 'job', 'test',
        now())`.execute(db());
    expect(await isUnderWay()).toBe(expected);
  }
});
