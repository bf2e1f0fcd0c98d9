import { expect, test } from 'vitest';
import {
  activeAccount,
  convert,
  deposit,
  fundedWallet,
  handle,
  ledger,
  ledgerBalance,
  quote,
  quoteBrl,
  readAccount,
  readTransfer,
  type Schemas,
  transferBody,
  until,
} from './support.ts';
import { useUpstream } from './use-upstream.ts';

let clockOffsetMs = 0;
const { upstream } = useUpstream({ now: () => Date.now() + clockOffsetMs });

type Transfer = Schemas['InternalTransfer'];
const start = (body: object) => upstream.post<Transfer>('/v1/internal_transfers/', body);

test('a quote with a fixed destination rounds the source up, and adds the markup', async () => {
  // 250.00 / 7.05042918 = 35.4588..., and one per cent on top of that 35.8134...
  expect(await quoteBrl(upstream, '250.00')).toMatchObject({
    source_amount: '35.82',
    destination_amount: '250.00',
    rate: '7.05042918',
    markup_bps: 100,
    subsidy_amount: '0.00',
  });
});

test('a quote with a fixed source rounds the destination down', async () => {
  // 40.00 * 1.3142 = 52.568
  const request = { source_currency: 'GBP', destination_currency: 'USDC', source_amount: '40.00' } as const;
  expect(await quote(upstream, request)).toMatchObject({
    rate: '1.31420000',
    destination_amount: '52.568000',
  });
  const brl = await quote(upstream, {
    ...request,
    destination_currency: 'BRL',
    source_amount: '0.01',
    markup_bps: 100,
  });
  expect(brl.destination_amount).toBe('0.06');
});

test("a quote uses the company's subsidy above the limit, up to its cap", async () => {
  const request = {
    source_currency: 'USDC',
    destination_currency: 'GBP',
    destination_amount: '40.00',
  } as const;
  // 40.00 GBP cost 52.568... USDC
  const limited = (max_source_amount: string, subsidy_cap_bps: number) =>
    quote(upstream, { ...request, max_source_amount, subsidy_cap_bps });
  const whole = await quote(upstream, request);
  const helped = await limited('52.500000', 100);
  expect(helped.source_amount).toBe('52.500000');
  expect(Number(helped.subsidy_amount)).toBeCloseTo(Number(whole.source_amount) - 52.5, 6);
  expect(await limited('52.000000', 100)).toMatchObject({ code: 'rejected' });
  expect(await limited('60.000000', 0)).toMatchObject({
    source_amount: whole.source_amount,
    subsidy_amount: '0.000000',
  });
});

test.each([
  ['both amounts', { source_amount: '1.00', destination_amount: '1.00' }, 400, 'invalid_request'],
  ['no amount', {}, 400, 'invalid_request'],
  ['nothing', { destination_amount: '0.00' }, 400, 'invalid_request'],
  ['too many places', { destination_amount: '1.000000' }, 400, 'invalid_request'],
  ['a fortune', { destination_amount: '999999999999999.00' }, 422, 'rejected'],
  ['the rejected amount', { destination_amount: '4.44' }, 422, 'rejected'],
  ['one currency twice', { destination_amount: '1.00', destination_currency: 'GBP' }, 400, 'invalid_request'],
  [
    'a limit without its cap',
    { destination_amount: '1.00', max_source_amount: '1.00' },
    400,
    'invalid_request',
  ],
  ['an unknown field', { destination_amount: '1.00', surprise: true }, 400, 'invalid_request'],
])('a quote with %s is refused', async (_what, fields, status, code) => {
  const body = { source_currency: 'GBP', destination_currency: 'BRL', ...fields };
  expect(await upstream.post('/v1/quotes/', body)).toMatchObject({ status, body: { code } });
});

test('a transfer debits immediately and credits when it completes, with the margin for the company', async () => {
  const wallet = await fundedWallet(upstream);
  const before = Number(await ledgerBalance(upstream, 'margin:GBP')) || 0;
  const done = await convert(upstream, wallet, '250.00');
  expect(done).toMatchObject({
    status: 'COMPLETED',
    source_amount: '35.82',
    destination_amount: '250.00',
    failure_reason: null,
  });
  expect((await readAccount(upstream, wallet.home.uuid)).balance).toBe('964.18');
  expect((await readAccount(upstream, wallet.brl.uuid)).balance).toBe('250.00');
  expect(Number(await ledgerBalance(upstream, 'margin:GBP')) - before).toBeCloseTo(0.36, 6);
  expect(await ledgerBalance(upstream, 'converting:GBP')).toBe('0.00');
});

test('a repeated transfer is answered with 200 and its current state, even after the quote expired', async () => {
  const wallet = await fundedWallet(upstream);
  const body = transferBody(wallet, await quoteBrl(upstream, '10.00'));
  const first = await start(body);
  expect(first).toMatchObject({ status: 201, body: { status: 'PENDING' } });
  await until(
    () => readTransfer(upstream, first.body.uuid),
    ({ status }) => status === 'COMPLETED',
  );
  clockOffsetMs += 61_000;
  expect(await start(body)).toMatchObject({
    status: 200,
    body: { uuid: first.body.uuid, status: 'COMPLETED' },
  });
  const other = { ...body, destination_account_uuid: wallet.home.uuid };
  expect(await start(other)).toMatchObject({ status: 409, body: { code: 'origin_id_conflict' } });
  const found = await upstream.get<Schemas['InternalTransferPage']>(
    `/v1/internal_transfers/?origin_id=${body.origin_id}`,
  );
  expect(found.body.results).toHaveLength(1);
});

test('twenty concurrent copies of a transfer make it once', async () => {
  const wallet = await fundedWallet(upstream);
  const body = transferBody(wallet, await quoteBrl(upstream, '10.00'));
  const replies = await Promise.all(Array.from({ length: 20 }, () => start(body)));
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(19);
  expect(new Set(replies.map(({ body: transfer }) => transfer.uuid)).size).toBe(1);
});

test('a transfer needs a quote that is neither expired nor used, and leaves its handle free when refused', async () => {
  const wallet = await fundedWallet(upstream);
  const body = transferBody(wallet, await quoteBrl(upstream, '10.00'));
  clockOffsetMs += 60_001;
  expect(await start(body)).toMatchObject({ status: 409, body: { code: 'quote_expired' } });
  const fresh = { ...body, quote_uuid: (await quoteBrl(upstream, '10.00')).uuid };
  expect((await start(fresh)).status).toBe(201);
  expect(await start({ ...fresh, origin_id: handle('other') })).toMatchObject({
    status: 409,
    body: { code: 'quote_consumed' },
  });
});

test('a transfer without enough money is refused, and does not use its quote', async () => {
  const wallet = await fundedWallet(upstream);
  const body = transferBody(wallet, await quoteBrl(upstream, '70000.00'));
  expect(await start(body)).toMatchObject({ status: 422, body: { code: 'insufficient_funds' } });
  await deposit(upstream, wallet.home, '20000.00');
  expect((await start(body)).status).toBe(201);
});

test('a transfer between the wrong accounts is refused', async () => {
  const wallet = await fundedWallet(upstream);
  const body = transferBody(wallet, await quoteBrl(upstream, '10.00'));
  const swapped = {
    ...body,
    source_account_uuid: wallet.brl.uuid,
    destination_account_uuid: wallet.home.uuid,
  };
  expect(await start(swapped)).toMatchObject({ status: 400 });
  const stranger = await fundedWallet(upstream);
  expect(await start({ ...body, destination_account_uuid: stranger.brl.uuid })).toMatchObject({
    status: 422,
  });
  expect(await start({ ...body, destination_account_uuid: handle('x') })).toMatchObject({ status: 400 });
});

test.each([
  ['6.66', 'FAILED', '1000.00', '0.00'],
  ['8.88', 'COMPLETED', '998.72', '8.87'],
  ['1.00', 'COMPLETED', '999.85', '1.00'],
])('a conversion to %s ends as %s', async (amount, status, home, brl) => {
  const wallet = await fundedWallet(upstream);
  const done = await convert(upstream, wallet, amount);
  expect(done.status).toBe(status);
  expect(done.failure_reason === null).toBe(status === 'COMPLETED');
  expect((await readAccount(upstream, wallet.home.uuid)).balance).toBe(home);
  expect((await readAccount(upstream, wallet.brl.uuid)).balance).toBe(brl);
});

test.each([
  ['7.77', 201, 'COMPLETED'],
  ['7.66', 201, 'FAILED'],
  ['9.99', 201, 'PENDING'],
  ['3.33', 422, undefined],
])('a conversion to %s is answered with %s %s', async (amount, status, state) => {
  const wallet = await fundedWallet(upstream);
  const reply = await start(transferBody(wallet, await quoteBrl(upstream, amount)));
  expect(reply.status).toBe(status);
  expect(reply.body.status).toBe(state);
});

test('a conversion can go through USDC and back, and the company pays what the market took', async () => {
  const { owner, home } = await fundedWallet(upstream);
  const usdc = await activeAccount(upstream, owner, 'USDC');
  const out = await quote(upstream, {
    source_currency: 'GBP',
    destination_currency: 'USDC',
    source_amount: '100.00',
  });
  const leg = transferBody({ owner, home, brl: usdc }, out);
  const started = await start(leg);
  await until(
    () => readTransfer(upstream, started.body.uuid),
    ({ status }) => status === 'COMPLETED',
  );
  const back = await quote(upstream, {
    source_currency: 'USDC',
    destination_currency: 'GBP',
    destination_amount: '100.00',
    max_source_amount: '131.000000',
    subsidy_cap_bps: 100,
  });
  const reverse = await start(transferBody({ owner, home: usdc, brl: home }, back));
  await until(
    () => readTransfer(upstream, reverse.body.uuid),
    ({ status }) => status === 'COMPLETED',
  );
  expect((await readAccount(upstream, home.uuid)).balance).toBe('1000.00');
  expect((await readAccount(upstream, usdc.uuid)).balance).toBe('0.420000');
  expect((await ledgerBalance(upstream, 'subsidy:USDC')).startsWith('-0.4')).toBe(true);
});

test('all transfers are listed, oldest first', async () => {
  const all: Transfer[] = [];
  let after = '';
  for (;;) {
    const { body } = await upstream.get<Schemas['InternalTransferPage']>(
      `/v1/internal_transfers/?limit=3${after}`,
    );
    all.push(...body.results);
    if (body.next === null) break;
    after = `&after=${body.next}`;
  }
  expect(all.length).toBeGreaterThan(6);
  expect(new Set(all.map(({ uuid }) => uuid)).size).toBe(all.length);
});

test('the books balance after all these transfers', async () => {
  expect(await ledger(upstream)).toMatchObject({
    balanced: true,
    totals: { GBP: '0.00', BRL: '0.00', USDC: '0.000000' },
  });
});
