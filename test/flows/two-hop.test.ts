// The flow through USDC: no user sees the USDC account, and the merchant receives exactly the promised amount. If the second
// conversion fails definitively, the user gets back exactly the debit.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { handleFor } from '../../src/domain/handles.ts';
import { startRequotedConversion } from '../../src/effects/start-requoted-conversion.ts';
import { OutcomeUnknown, ProviderRefusal } from '../../src/provider/errors.ts';
import type { Provider } from '../../src/provider/port.ts';
import { applyReported } from '../../src/reports/apply-reported.ts';
import type { Db } from '../../src/tables/orm.ts';
import { opsHere, opsJson } from '../ops/support.ts';
import { byTable } from '../support/by-table.ts';
import { balanceOf, must, type Person, pay, quote, reaches, verified } from '../support/person.ts';
import { readEffect } from '../support/read-effect.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';

let ada: Person;

const { world, provider } = useWorld({ env: { USDC_ACCOUNTS_ENABLED: 'true' } });
beforeAll(async () => {
  ada = await verified(world, { deposit: '1000.00' });
});

async function withProvider<Result>(calls: Partial<Provider>, story: () => Promise<Result>): Promise<Result> {
  world.service.app.provider = { ...provider, ...calls };
  try {
    return await story();
  } finally {
    world.service.app.provider = provider;
  }
}

const rowOf = (id: string) =>
  byTable(world.service.app.db)
    .selectFrom('pix_payments')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();

const isBackToHome = (call: { sourceCurrency: string; destinationCurrency: string }) =>
  call.sourceCurrency === 'USDC' && call.destinationCurrency === 'GBP';
const isTowardsReais = (call: { sourceCurrency: string; destinationCurrency: string }) =>
  call.sourceCurrency === 'USDC' && call.destinationCurrency === 'BRL';

const refuseTheWayBack: Provider['createQuote'] = (request) => {
  if (isBackToHome(request)) throw new ProviderRefusal('rejected', 'createQuote');
  return provider.createQuote(request);
};

/** Simulates that this percentage of the USDC is lost: the rest buys the exact debit only with a subsidy of the company. */
const withoutPercent =
  (percent: number): Provider['createQuote'] =>
  (request) => {
    if (!isBackToHome(request) || !('subsidy' in request) || !request.subsidy)
      return provider.createQuote(request);
    const maxSourceAmountMinor = Math.floor(request.subsidy.maxSourceAmountMinor * (1 - percent / 100));
    return provider.createQuote({ ...request, subsidy: { ...request.subsidy, maxSourceAmountMinor } });
  };

test('a two-hop payment debits the quoted amount, pays the requested amount, and keeps the rest of the USDC as a residual', async () => {
  const before = (await balanceOf(ada)) ?? 0;
  const quoted = await quote(ada, 250);
  expect(quoted.rate).toBeGreaterThan(1);
  // The spread is in the amount, not in the rate.
  const withoutSpread = (25_000 / quoted.rate) * 1.01;
  expect(Math.abs(quoted.sourceAmount - withoutSpread)).toBeLessThan(3);

  const payment = await reaches(ada, await pay(ada, quoted), 'completed');
  expect(payment.amountBrl).toBe('250.00');
  expect(Number(payment.exchangeRate)).toBe(quoted.rate);
  const { sourceCurrency, sourceAmount, feeAmount } = quoted;
  expect(payment).toMatchObject({ sourceCurrency, sourceAmount, feeAmount });
  expect(feeAmount).toBe(sourceAmount - Math.ceil(25_000 / quoted.rate));
  expect(await balanceOf(ada)).toBe(before - quoted.sourceAmount);
  const row = await rowOf(payment.id);
  expect(row.home_debit_minor).toBe(quoted.sourceAmount);
  expect(row.usdc_delivered_minor).toBe(row.usdc_quoted_minor);
  expect(row.usdc_residual_minor).toBeGreaterThan(0);
  expect(row.usdc_residual_minor).toBeLessThan((row.usdc_delivered_minor ?? 0) / 50);
});

test('users see nothing of the USDC account', async () => {
  const shown = JSON.stringify([
    must(await ada.api.GET('/me')),
    must(await ada.api.GET('/transactions')),
    must(await ada.api.GET('/pix/payments')),
  ]);
  expect(shown).not.toMatch(/usdc|pivot|leg|hop/i);
});

const refusals: [string, () => Partial<Provider>, number][] = [
  ['fails', () => ({}), 6.66],
  ['fails in the reply', () => ({}), 7.66],
  ['is refused', () => ({}), 3.33],
  [
    'has a quote for more than was delivered',
    () => ({
      createQuote: async (request) => {
        const fresh = await provider.createQuote(request);
        return isTowardsReais(request) && 'destinationAmountMinor' in request
          ? { ...fresh, sourceAmountMinor: fresh.sourceAmountMinor * 2 }
          : fresh;
      },
    }),
    30,
  ],
  [
    'has a quote that is refused',
    () => ({
      createQuote: (request) => {
        if (isTowardsReais(request)) throw new ProviderRefusal('rejected', 'createQuote');
        return provider.createQuote(request);
      },
    }),
    31,
  ],
];

test.each(refusals)(
  'a payment is refunded in full if its second conversion %s',
  async (_what, calls, amountBrl) => {
    const before = await balanceOf(ada);
    const quoted = await quote(ada, amountBrl);
    const payment = await withProvider(calls(), async () => reaches(ada, await pay(ada, quoted), 'refunded'));
    expect(await balanceOf(ada)).toBe(before);
    expect(payment.failureReason).toMatch(/back in your balance/);
    const linked = must(
      await ada.api.GET('/transactions/{id}', { params: { path: { id: payment.transactionId } } }),
    );
    expect(linked.status).toBe('failed');
    expect((await rowOf(payment.id)).usdc_residual_minor).not.toBeNull();
  },
);

test('a payment goes to manual_review if there is no conversion back at a price that the company bears', async () => {
  const payment = await withProvider({ createQuote: refuseTheWayBack }, async () =>
    reaches(ada, await pay(ada, await quote(ada, 6.66)), 'manual_review'),
  );
  expect(payment.failureReason).toMatch(/support/);
});

test('no conversion back begins while the first conversion has an unresolved twin', async () => {
  const { app } = world.service;
  const quoted = await quote(ada, 33);
  let isRefused = false;
  const createQuote: Provider['createQuote'] = async (request) => {
    if (!isTowardsReais(request)) return provider.createQuote(request);
    if (isRefused) throw new ProviderRefusal('rejected', 'createQuote');
    throw new OutcomeUnknown('createQuote', 'no usable answer');
  };
  await withProvider({ createQuote }, async () => {
    const id = await pay(ada, quoted);
    await until(
      () => rowOf(id),
      ({ state }) => state === 'converting.leg2',
    );
    const leg1 = await provider.findTransfer(handleFor(id, 'conversion-leg1'));
    if (!leg1) throw new Error('no first conversion');
    const twin = { ...leg1, providerRef: randomUUID() };
    expect(await applyReported(app, twin, { kind: 'job', id: 'test' })).toBe('twin');

    isRefused = true;
    await until(
      () => byTable(app.db).selectFrom('effects').select('last_error').where('subject_id', '=', id).execute(),
      (effects) =>
        effects.some(({ last_error }) => /a twin at the provider is unresolved/.test(last_error ?? '')),
    );
    expect((await rowOf(id)).state).toBe('converting.leg2');

    const follow = ['discrepancies', 'follow', leg1.providerRef, '--reason', 'the other one is taken back'];
    expect(await opsJson(world, ...follow)).toMatchObject({
      sentence: expect.stringContaining('The object is followed as before') as string,
    });
    await reaches(ada, id, 'refunded');
  });
});

test('no conversion back is requested while the second conversion has an unresolved twin', async () => {
  const { app } = world.service;
  const quoted = await quote(ada, 6.66);
  let isQuoted = false;
  const createQuote: Provider['createQuote'] = async (request) => {
    if (isBackToHome(request) && !isQuoted) throw new OutcomeUnknown('createQuote', 'no usable answer');
    return provider.createQuote(request);
  };
  await withProvider({ createQuote }, async () => {
    const id = await pay(ada, quoted);
    await until(
      () => rowOf(id),
      ({ state }) => state === 'refunding',
    );
    const leg2 = await provider.findTransfer(handleFor(id, 'conversion-leg2'));
    if (!leg2) throw new Error('no second conversion');
    const twin = { ...leg2, providerRef: randomUUID(), status: 'completed' } as const;
    expect(await applyReported(app, twin, { kind: 'job', id: 'test' })).toBe('twin');

    isQuoted = true;
    const wayBack = () =>
      byTable(app.db)
        .selectFrom('effects')
        .select(['status', 'last_error'])
        .where('subject_id', '=', id)
        .orderBy('seq', 'desc')
        .executeTakeFirstOrThrow();
    const waits = {
      status: 'queued',
      last_error: expect.stringContaining('a twin at the provider') as string,
    };
    expect(
      await until(
        wayBack,
        ({ status, last_error: error }) => status !== 'queued' || /twin/.test(error ?? ''),
      ),
    ).toEqual(waits);
    expect(await provider.findTransfer(handleFor(id, 'conversion-reverse'))).toBeNull();

    const follow = ['discrepancies', 'follow', leg2.providerRef, '--reason', 'the other one is taken back'];
    expect(await opsJson(world, ...follow)).toMatchObject({
      sentence: expect.stringContaining('The object is followed as before') as string,
    });
    await reaches(ada, id, 'refunded');
  });
});

test.each([
  ['half a percent, which the company bears, is refunded', 0.5, 'refunded', true],
  ['three percent, which is more than the company bears, goes to manual_review', 3, 'manual_review', false],
] as const)('a payment whose rate has moved by %s', async (_what, percent, status, isWhole) => {
  const before = await balanceOf(ada);
  // The sandbox refuses the second conversion of this amount.
  const ended = await withProvider({ createQuote: withoutPercent(percent) }, async () => {
    const id = await pay(ada, await quote(ada, 3.33));
    return until(
      async () => must(await ada.api.GET('/pix/payments/{id}', { params: { path: { id } } })),
      (payment) => payment.status === 'refunded' || payment.status === 'manual_review',
    );
  });
  expect([ended.status, (await balanceOf(ada)) === before]).toEqual([status, isWhole]);
});

test('a second conversion that delivers another amount leads to manual_review', async () => {
  const payment = await reaches(ada, await pay(ada, await quote(ada, 8.88)), 'manual_review');
  expect(payment.failureReason).toMatch(/support/);
});

test('a second conversion takes another quote when its own has expired', async () => {
  let refused = 0;
  const createTransfer: Provider['createTransfer'] = async (transfer) => {
    const quotes = await byTable(world.service.app.db)
      .selectFrom('conversion_quotes')
      .select('provider_quote_id')
      .execute();
    const isFresh = quotes.some(({ provider_quote_id: id }) => id === transfer.quoteRef);
    if (isFresh && refused++ === 0) throw new ProviderRefusal('quote_expired', 'createTransfer');
    return provider.createTransfer(transfer);
  };
  const payment = await withProvider({ createTransfer }, async () =>
    reaches(ada, await pay(ada, await quote(ada, 12)), 'completed'),
  );
  expect(refused).toBe(2);
  expect(payment.amountBrl).toBe('12.00');
});

test('a second conversion is not requested with a quote that took too long to store', async () => {
  const { app } = world.service;
  let calls = 0;
  const createTransfer: Provider['createTransfer'] = async (transfer) => {
    calls += 1;
    if (calls === 1) return provider.createTransfer(transfer);
    throw new OutcomeUnknown('createTransfer', 'no usable answer');
  };
  await withProvider({ createTransfer }, async () => {
    const id = await pay(ada, await quote(ada, 17));
    await until(
      async () => calls,
      (count) => count >= 2,
    );
    const effect = await byTable(app.db)
      .selectFrom('effects')
      .selectAll()
      .where('subject_id', '=', id)
      .where('status', '=', 'queued')
      .executeTakeFirstOrThrow();
    const commitsFast = await commitSlowly(app.db);
    const [quoted, sent]: [string[], string[]] = [[], []];
    const watched: Provider<'background'> = {
      ...provider,
      createQuote: async (request) => {
        const fresh = await provider.createQuote(request);
        quoted.push(fresh.providerRef);
        return fresh;
      },
      createTransfer: async (transfer) => {
        sent.push(transfer.handle);
        return provider.createTransfer(transfer);
      },
    };
    const late = startRequotedConversion(
      { ...app, provider: watched },
      { ...(await readEffect(app.db, effect)), readAt: null },
      'leg2',
    );
    await expect(late).rejects.toMatchObject({ sent: false });
    await commitsFast();
    expect([quoted.length, sent]).toEqual([1, []]);
    // No request with this quote can be in flight, so nothing waits for it.
    const kept = byTable(app.db)
      .selectFrom('conversion_quotes')
      .select('provider_quote_id')
      .where('provider_quote_id', 'in', quoted);
    expect(await kept.execute()).toEqual([]);
  });
});

test('a payment keeps the flow of its quote, whichever flow is configured afterwards', async () => {
  const quoted = await quote(ada, 14);
  world.service.app.config.usdcAccountsEnabled = false;
  const payment = await reaches(ada, await pay(ada, quoted), 'completed');
  world.service.app.config.usdcAccountsEnabled = true;
  expect((await rowOf(payment.id)).flow).toBe('two_hop');
});

/**
 * Makes the commit of a quote take longer than a request waits for it.
 * @returns a function that ends this.
 */
async function commitSlowly(db: Db): Promise<() => Promise<unknown>> {
  // Each half stays within the deadline of a statement.
  await sql`create function take_time() returns trigger language plpgsql as
    $$ begin perform pg_sleep(2.6); return null; end $$`.execute(db);
  await sql`create trigger insert_slowly after insert on conversion_quotes
    for each row execute function take_time()`.execute(db);
  await sql`create constraint trigger commit_slowly after insert on conversion_quotes
    deferrable initially deferred for each row execute function take_time()`.execute(db);
  return () => sql`drop function take_time cascade`.execute(db);
}

test('an operator returns a two-hop payment to the exact debit, and its USDC residual stays as it is', async () => {
  const before = await balanceOf(ada);
  const id = await pay(ada, await quote(ada, 34), { pixKey: 'unknown@pix.example', pixKeyType: 'email' });
  await reaches(ada, id, 'payout_failed');
  const { usdc_residual_minor: residual, home_debit_minor: debit } = await rowOf(id);
  const returned = await world.clock.later(25 * 60 * 60_000, () =>
    opsHere(world.service.app, [
      'payments',
      'return',
      id,
      '--reason',
      'the key is dead',
      '--subsidy-cap-bps',
      '200',
    ]),
  );
  expect(returned).toMatchObject({ code: 0, err: '' });
  await reaches(ada, id, 'refunded');
  expect(await balanceOf(ada)).toBe(before);
  expect(await rowOf(id)).toMatchObject({
    usdc_residual_minor: residual,
    home_debit_minor: debit,
    brl_residual_minor: 0,
  });
  const leg2 = await provider.findTransfer(handleFor(id, 'conversion-leg2'));
  // A late callback about leg 2 says nothing new, and must not end the return in manual_review.
  if (leg2)
    await applyReported(world.service.app, { ...leg2, updatedAt: new Date() }, { kind: 'job', id: 'test' });
  expect((await rowOf(id)).state).toBe('refunded');
});
