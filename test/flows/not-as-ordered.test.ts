// The provider creates something other than was requested, under the handle of the request. The service does not apply it and
// records a discrepancy. The row continues as soon as the provider reports what was requested.
import { beforeAll, describe, expect, test } from 'vitest';
import { handleFor } from '../../src/domain/handles.ts';
import { byTable } from '../support/by-table.ts';
import { makePollsDue } from '../support/outbox.ts';
import {
  balanceOf,
  must,
  type Person,
  passVerification,
  pay,
  quote,
  reaches,
  signUp,
  verified,
} from '../support/person.ts';
import { until } from '../support/until.ts';
import { accountRefOf } from '../support/upstream.ts';
import type { WireObject } from '../support/upstream-proxy.ts';
import { useWorld } from '../support/use-world.ts';

const { world, proxy } = useWorld({ proxy: true });

const elsewhere = '0199f0c4-6f2e-7a51-9d3b-1c2d3e4f5a61';
const discrepanciesOf = (subjectId: string) =>
  byTable(world.service.app.db)
    .selectFrom('discrepancies')
    .select(['kind', 'event', 'event_data', 'state', 'resolved_at'])
    .where('subject_id', '=', subjectId)
    .execute();

const recorded = async (subjectId: string) =>
  (
    await until(
      () => discrepanciesOf(subjectId),
      ({ length }) => length > 0,
    )
  ).map(({ kind, event_data: data, state }) => ({ kind, state, differs: data['differs'] }));

/**
 * Makes the poll of the row's resource due now.
 * @returns whether the resource awaits a poll.
 */
const pollNow = async (subjectId: string): Promise<boolean> =>
  (await makePollsDue(world, 'subject_id', subjectId)) === 1;

/** Changes the provider's reports about every debit of the account. */
async function lieAbout(
  person: Person,
  currency: 'GBP' | 'BRL' | 'USDC',
  change: (truth: WireObject) => WireObject,
) {
  const about = `"source_account_uuid":"${await accountRefOf(world, person.userId, currency)}"`;
  return proxy.lie({ about, change });
}

const statusOf = async ({ api }: Person, id: string) =>
  must(await api.GET('/transactions/{id}', { params: { path: { id } } })).status;

const bank = {
  currency: 'GBP',
  accountHolderName: 'Ada Silva',
  accountNumber: '12345678',
  sortCode: '12-34-56',
} as const;
const sepa = { account_holder_name: 'Ada Silva', iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' };
const fps = { account_holder_name: 'Ada Silva', account_number: '12345678', sort_code: '12-34-56' };

test.for<[string, WireObject, string[]]>([
  ['as 9.00', { amount: '9.00' }, ['amount']],
  ['as 10.00 EUR', { currency: 'EUR' }, ['currency']],
  ['as 999.00 EUR', { amount: '999.00', currency: 'EUR' }, ['amount', 'currency']],
  ['as 9.00 that failed', { amount: '9.00', status: 'FAILED' }, ['amount']],
  ['as 9.00 that came back', { amount: '9.00', status: 'REFUNDED' }, ['amount']],
  ['by SEPA', { rail: 'SEPA', destination: sepa }, ['rail', 'recipient']],
  ['to another account', { destination: { ...fps, account_number: '87654321' } }, ['recipient']],
  ['to another bank', { destination: { ...fps, sort_code: '12-34-57' } }, ['recipient']],
])(
  'a withdrawal of 10.00 GBP that the provider reports %s is not applied until the report matches',
  async ([_what, said, differs]) => {
    const ada = await verified(world, { deposit: '50.00' });
    must(await ada.api.POST('/bank-details', { body: bank }));
    const lie = await lieAbout(ada, 'GBP', (truth) => ({ ...truth, ...said }));
    const { id } = must(await ada.api.POST('/withdraws', { body: { amount: 1_000 } }));
    expect(await recorded(id)).toEqual([{ kind: 'not_as_ordered', state: 'settling', differs }]);
    expect(await statusOf(ada, id)).toBe('settling');

    expect(await pollNow(id)).toBe(true);
    await until(
      async () => lie.hits(),
      (hits) => hits >= 2,
    );
    expect(await statusOf(ada, id)).toBe('settling');
    lie.heal();
    await pollNow(id);
    await until(
      () => statusOf(ada, id),
      (status) => status === 'completed',
    );
    expect(await discrepanciesOf(id)).toHaveLength(1);
    expect(await balanceOf(ada)).toBe(4_000);
  },
);

test('a withdrawal that the provider reports from another account is not applied', async () => {
  const ada = await verified(world, { deposit: '50.00' });
  must(await ada.api.POST('/bank-details', { body: bank }));
  const lie = await lieAbout(ada, 'GBP', (truth) => ({
    ...truth,
    source_account_uuid: elsewhere,
  }));
  const { id } = must(await ada.api.POST('/withdraws', { body: { amount: 1_000 } }));
  const differs = ['source account'];
  expect(await recorded(id)).toEqual([{ kind: 'not_as_ordered', state: 'settling', differs }]);
  expect(await statusOf(ada, id)).toBe('settling');
  lie.heal();
});

const pix = { pix_key: '52998224725', pix_key_type: 'cpf', recipient_name: null };
test.for<[string, WireObject, string[]]>([
  ['as R$ 24.99', { amount: '24.99' }, ['amount']],
  ['in pounds', { currency: 'GBP' }, ['currency']],
  ['in pounds, failed', { currency: 'GBP', status: 'FAILED' }, ['currency']],
  ['as R$ 24.99 that came back', { amount: '24.99', status: 'REFUNDED' }, ['amount']],
  ['to another key', { destination: { ...pix, pix_key: '11144477735' } }, ['recipient']],
  ['by FPS', { rail: 'FPS', destination: fps }, ['rail', 'recipient']],
  ['from another account', { source_account_uuid: elsewhere }, ['source account']],
])(
  'a payout of R$ 25.00 that the provider reports %s is not applied until the report matches',
  async ([_what, said, differs]) => {
    const ada = await verified(world, { deposit: '50.00' });
    const lie = await lieAbout(ada, 'BRL', (truth) => ({ ...truth, ...said }));
    const id = await pay(ada, await quote(ada, 25));
    expect(await recorded(id)).toEqual([{ kind: 'not_as_ordered', state: 'paying', differs }]);
    expect((await reaches(ada, id, 'paying')).endToEndId).toBeNull();
    lie.heal();
    await pollNow(id);
    const payment = await reaches(ada, id, 'completed');
    expect(payment.endToEndId).not.toBeNull();
  },
);

test('a payout whose handle is taken by another payout is not applied until the report matches', async () => {
  const ada = await verified(world, { deposit: '50.00' });
  const about = await accountRefOf(world, ada.userId, 'BRL');
  const spoilt = { status: 409, code: 'origin_id_conflict' };
  const taken = proxy.spoil({ operation: 'createPayout', spoilt, forwarded: true, silent: true, about });
  const lie = await lieAbout(ada, 'BRL', (truth) => ({
    ...truth,
    amount: '999.00',
    status: 'COMPLETED',
  }));
  const id = await pay(ada, await quote(ada, 25));
  const differs = ['amount'];
  expect(await recorded(id)).toEqual([{ kind: 'not_as_ordered', state: 'paying', differs }]);
  expect(taken.hits()).toBe(1);
  lie.heal();
  await pollNow(id);
  await reaches(ada, id, 'completed');
});

test('a payout to the name that the bank has for the recipient is completed', async () => {
  const ada = await verified(world, { deposit: '50.00' });
  const lie = await lieAbout(ada, 'BRL', (truth) => ({
    ...truth,
    destination: { ...pix, recipient_name: 'PADARIA SAO JOAO LTDA' },
  }));
  const id = await pay(ada, await quote(ada, 25), { recipientName: 'Padaria' });
  await reaches(ada, id, 'completed');
  expect(await discrepanciesOf(id)).toEqual([]);
  lie.heal();
});

const plus = (text: unknown, minor: number, places = 2): string =>
  (Number(text) + minor / 10 ** places).toFixed(places);

test('a conversion that debits more than was quoted leads to manual_review without a payout', async () => {
  const ada = await verified(world, { deposit: '500.00' });
  const lie = await lieAbout(ada, 'GBP', (truth) => ({
    ...truth,
    source_amount: plus(truth['source_amount'], 10_000),
  }));
  const id = await pay(ada, await quote(ada, 25));
  await reaches(ada, id, 'manual_review');
  lie.heal();
  expect(proxy.count('createPayout', await accountRefOf(world, ada.userId, 'BRL'))).toBe(0);
});

test('a conversion that debits less than was quoted continues with a discrepancy', async () => {
  const ada = await verified(world, { deposit: '500.00' });
  const quoted = await quote(ada, 25);
  const lie = await lieAbout(ada, 'GBP', (truth) => ({
    ...truth,
    source_amount: plus(truth['source_amount'], -1),
  }));
  const id = await pay(ada, quoted);
  await reaches(ada, id, 'completed');
  lie.heal();
  expect(await discrepanciesOf(id)).toMatchObject([
    {
      kind: 'debit_differs',
      event: 'direct.completed',
      event_data: { sourceAmountMinor: quoted.sourceAmount - 1, expectedSourceMinor: quoted.sourceAmount },
      resolved_at: null,
    },
  ]);
});

test.for<[string, WireObject, string[]]>([
  ['between other accounts', { destination_account_uuid: elsewhere }, ['destination account']],
  [
    'that failed between other accounts',
    { source_account_uuid: elsewhere, status: 'FAILED' },
    ['source account'],
  ],
  ['of an amount with the places of another currency', { source_amount: '3.580000' }, ['currency']],
])('a conversion %s is not applied until the report matches', async ([_what, said, differs]) => {
  const ada = await verified(world, { deposit: '500.00' });
  const lie = await lieAbout(ada, 'GBP', (truth) => ({ ...truth, ...said }));
  const id = await pay(ada, await quote(ada, 25));
  expect(await recorded(id)).toEqual([{ kind: 'not_as_ordered', state: 'converting.direct', differs }]);
  lie.heal();
  await pollNow(id);
  await reaches(ada, id, 'completed');
});

/** Completes a payment whose first conversion is reported to deliver this many millionths of USDC more than was quoted. */
async function paidThroughDelivery(differenceMinor: number) {
  const ada = await verified(world, { deposit: '500.00' });
  const quoted = await quote(ada, 25);
  const { usdc_quoted_minor: quotedMinor } = await byTable(world.service.app.db)
    .selectFrom('pix_quotes')
    .select('usdc_quoted_minor')
    .where('user_id', '=', ada.userId)
    .executeTakeFirstOrThrow();
  const lie = await lieAbout(ada, 'GBP', (truth) => ({
    ...truth,
    destination_amount: plus(truth['destination_amount'], differenceMinor, 6),
  }));
  const id = await pay(ada, quoted);
  await reaches(ada, id, 'completed');
  // The discrepancies are read before the provider's true report contradicts the applied one.
  const discrepancies = await discrepanciesOf(id);
  lie.heal();
  const { usdc_delivered_minor: deliveredMinor } = await byTable(world.service.app.db)
    .selectFrom('pix_payments')
    .select('usdc_delivered_minor')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const sourceAmountMinor = quoted.sourceAmount;
  return { sourceAmountMinor, quotedMinor: Number(quotedMinor), deliveredMinor, discrepancies };
}

const deliveryDiffers = (
  { sourceAmountMinor, quotedMinor }: Awaited<ReturnType<typeof paidThroughDelivery>>,
  destinationAmountMinor: number,
) => ({
  kind: 'delivery_differs',
  event: 'leg1.completed',
  event_data: { sourceAmountMinor, destinationAmountMinor, expectedDestinationMinor: quotedMinor },
  state: 'converting.leg1',
  resolved_at: null,
});

describe('a conversion in two hops', () => {
  beforeAll(() => {
    const { config } = world.service.app;
    world.service.app.config = { ...config, usdcAccountsEnabled: true };
  });

  test('a first conversion that debits more than was quoted leads to manual_review with the amount that it debited', async () => {
    const ada = await verified(world, { deposit: '500.00' });
    const quoted = await quote(ada, 25);
    const lie = await lieAbout(ada, 'GBP', (truth) => ({
      ...truth,
      source_amount: plus(truth['source_amount'], 1),
    }));
    const id = await pay(ada, quoted);
    await reaches(ada, id, 'manual_review');
    lie.heal();
    const row = await byTable(world.service.app.db)
      .selectFrom('pix_payments')
      .select(['home_debit_minor', 'failure'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(row).toEqual({ home_debit_minor: quoted.sourceAmount + 1, failure: 'amount_mismatch' });
  });

  test('a first conversion that delivers more than was quoted continues with a discrepancy', async () => {
    const paid = await paidThroughDelivery(1_000);
    const reportedMinor = paid.quotedMinor + 1_000;
    expect(paid.deliveredMinor).toBe(reportedMinor);
    expect(paid.discrepancies).toEqual([deliveryDiffers(paid, reportedMinor)]);
  });

  test('a first conversion that delivers less than was quoted continues with a discrepancy', async () => {
    const paid = await paidThroughDelivery(-1_000);
    const reportedMinor = paid.quotedMinor - 1_000;
    expect(paid.deliveredMinor).toBe(reportedMinor);
    expect(paid.discrepancies).toEqual([deliveryDiffers(paid, reportedMinor)]);
  });

  test('a first conversion that debits less and delivers less than was quoted continues with a discrepancy for each', async () => {
    const ada = await verified(world, { deposit: '500.00' });
    const lie = await lieAbout(ada, 'GBP', (truth) => ({
      ...truth,
      source_amount: plus(truth['source_amount'], -1),
      destination_amount: plus(truth['destination_amount'], -1_000, 6),
    }));
    const id = await pay(ada, await quote(ada, 25));
    await reaches(ada, id, 'completed');
    const kinds = (await discrepanciesOf(id)).map(({ kind }) => kind);
    lie.heal();
    expect(kinds.toSorted()).toEqual(['debit_differs', 'delivery_differs']);
  });

  test('a first conversion may deliver any amount if its quote, stored by a former version, lacks the amount of USDC', async () => {
    const ada = await verified(world, { deposit: '500.00' });
    const quoted = await quote(ada, 25);
    await byTable(world.service.app.db)
      .updateTable('pix_quotes')
      .set({ usdc_quoted_minor: null })
      .where('user_id', '=', ada.userId)
      .execute();
    const lie = await lieAbout(ada, 'GBP', (truth) => ({
      ...truth,
      destination_amount: plus(truth['destination_amount'], 1_000, 6),
    }));
    const id = await pay(ada, quoted);
    await reaches(ada, id, 'completed');
    expect(await discrepanciesOf(id)).toEqual([]);
    lie.heal();
  });

  test('a second conversion that takes more than the first delivered continues with a discrepancy', async () => {
    const ada = await verified(world, { deposit: '500.00' });
    const lie = await lieAbout(ada, 'USDC', (truth) => ({
      ...truth,
      source_amount: plus(truth['source_amount'], 1_000_000, 6),
    }));
    const id = await pay(ada, await quote(ada, 25));
    await reaches(ada, id, 'completed');
    lie.heal();
    expect(await discrepanciesOf(id)).toMatchObject([{ kind: 'debit_differs', event: 'leg2.completed' }]);
  });

  test('a conversion back that takes more than the first delivered continues with a discrepancy', async () => {
    const ada = await verified(world, { deposit: '500.00' });
    const lie = await lieAbout(ada, 'USDC', (truth) =>
      truth['status'] === 'COMPLETED'
        ? { ...truth, source_amount: plus(truth['source_amount'], 1_000_000, 6) }
        : truth,
    );
    const id = await pay(ada, await quote(ada, 6.66));
    await reaches(ada, id, 'refunded');
    lie.heal();
    expect(await discrepanciesOf(id)).toMatchObject([{ kind: 'debit_differs', event: 'reverse.completed' }]);
  });
});

test('an account in another currency is not taken for the requested one', async () => {
  const ada = await signUp(world);
  const handle = handleFor(ada.userId, 'account-GBP');
  const lie = proxy.lie({ about: handle, change: (truth) => ({ ...truth, currency: 'EUR' }) });
  must(await ada.api.PATCH('/me', { body: { homeCurrency: 'GBP' } }));
  await passVerification(ada);
  const { id } = await until(
    async () => {
      must(await ada.api.GET('/kyc/status'));
      return (await accountOf(ada)) ?? { id: null };
    },
    (account) => account.id !== null,
  );
  const differs = ['currency'];
  expect(await recorded(String(id))).toEqual([{ kind: 'not_as_ordered', state: 'provisioning', differs }]);
  expect((await accountOf(ada))?.deposit_instructions_sealed).toBeNull();
  lie.heal();
  await pollNow(String(id));
  await until(
    () => accountOf(ada),
    (account) => account?.state === 'active',
  );
});

const accountOf = ({ userId }: Person) =>
  byTable(world.service.app.db)
    .selectFrom('provider_accounts')
    .select(['id', 'state', 'deposit_instructions_sealed'])
    .where('user_id', '=', userId)
    .where('currency', '=', 'GBP')
    .executeTakeFirst();
