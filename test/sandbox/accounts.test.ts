import { isValidIBAN } from 'ibantools';
import { expect, test } from 'vitest';
import {
  activeAccount,
  createOwner,
  deposit,
  fundedWallet,
  handle,
  ledger,
  readAccount,
  type Schemas,
  startUpstream,
  submitForm,
  verifiedOwner,
} from './support.ts';
import { useUpstream } from './use-upstream.ts';

const { upstream } = useUpstream();

test('accounts are opened only for verified owners', async () => {
  const body = {
    external_id: handle('account'),
    owner_uuid: (await createOwner(upstream)).uuid,
    currency: 'GBP',
  };
  expect(await upstream.post('/v1/accounts/', body)).toMatchObject({
    status: 422,
    body: { code: 'rejected' },
  });
  const stranger = { ...body, owner_uuid: '0199f0c4-6f2e-7a51-9d3b-1c2d3e4f5a60' };
  expect(await upstream.post('/v1/accounts/', stranger)).toMatchObject({
    status: 404,
    body: { code: 'not_found' },
  });
  const free = { ...body, owner_uuid: (await verifiedOwner(upstream)).uuid };
  expect((await upstream.post('/v1/accounts/', free)).status).toBe(201);
  expect((await upstream.post('/v1/accounts/', free)).status).toBe(200);
  const other = { ...free, currency: 'EUR' };
  expect(await upstream.post('/v1/accounts/', other)).toMatchObject({
    status: 409,
    body: { code: 'origin_id_conflict' },
  });
});

test('an account has deposit instructions once it is active', async () => {
  const owner = await verifiedOwner(upstream);
  const gbp = await activeAccount(upstream, owner, 'GBP');
  expect(gbp.deposit_instructions).toEqual({
    account_holder_name: 'Ada Silva',
    account_number: expect.stringMatching(/^\d{8}$/),
    sort_code: '04-00-75',
  });
  const eur = await activeAccount(upstream, owner, 'EUR');
  expect(isValidIBAN(eur.deposit_instructions?.iban ?? '')).toBe(true);
  expect((await activeAccount(upstream, owner, 'BRL')).deposit_instructions).toBeNull();
  expect((await activeAccount(upstream, owner, 'USDC')).balance).toBe('0.000000');
});

test('an account shows neither money nor bank details while it is being opened', async () => {
  const slow = await startUpstream({ activateMs: 60_000 });
  const owner = await verifiedOwner(slow);
  const body = { external_id: handle('account'), owner_uuid: owner.uuid, currency: 'GBP' };
  const { body: account } = await slow.post<Schemas['Account']>('/v1/accounts/', body);
  expect(account).toMatchObject({ status: 'PROVISIONING', deposit_instructions: null, balance: '0.00' });
  await slow.close();
});

test.each(['GBP', 'EUR'] as const)(
  'a deposit is credited to the %s account that has its bank details',
  async (currency) => {
    const account = await activeAccount(upstream, await verifiedOwner(upstream), currency);
    expect((await deposit(upstream, account, '120.05')).status).toBe(201);
    const after = await readAccount(upstream, account.uuid);
    expect(after.balance).toBe('120.05');
    expect(after.updated_at > account.updated_at).toBe(true);
    expect(await ledger(upstream)).toMatchObject({ balanced: true, totals: { [currency]: '0.00' } });
  },
);

test.each([['0.00'], ['1.001'], ['-1.00'], ['1e3'], ['']])('a deposit of "%s" is refused', async (amount) => {
  const account = await activeAccount(upstream, await verifiedOwner(upstream), 'GBP');
  expect((await deposit(upstream, account, amount)).status).toBe(400);
});

test('a deposit to an unknown account is refused, and a form gets a page', async () => {
  const nobody = { sortCode: '99-99-99', accountNumber: '00000000', amount: '1.00' };
  expect((await upstream.post('/sandbox/deposits', nobody)).status).toBe(404);
  expect(await submitForm(`${upstream.url}/sandbox/deposits`, nobody)).toMatchObject({
    status: 404,
    text: expect.stringContaining('No deposit'),
  });
});

test('movements are listed oldest first and paged without a gap', async () => {
  const { home } = await fundedWallet(upstream);
  for (const amount of ['1.00', '2.00', '3.00']) await deposit(upstream, home, amount, `No. ${amount}`);
  const path = `/v1/accounts/${home.uuid}/movements/`;
  const first = (await upstream.get<Schemas['MovementPage']>(`${path}?limit=2`)).body;
  const second = (await upstream.get<Schemas['MovementPage']>(`${path}?limit=2&after=${first.next}`)).body;
  const all = [...first.results, ...second.results];
  expect(all.map(({ amount }) => amount)).toEqual(['1000.00', '1.00', '2.00', '3.00']);
  expect(second.next).toBeNull();
  expect(all[1]).toMatchObject({
    direction: 'CREDIT',
    kind: 'DEPOSIT',
    currency: 'GBP',
    source_reference: 'No. 1.00',
  });

  const one = await upstream.get<Schemas['Movement']>(`${path}${all[1]?.uuid}/`);
  expect(one.body).toEqual(all[1]);
  const end = await upstream.get<Schemas['MovementPage']>(`${path}?after=${all[3]?.uuid}`);
  expect(end.body).toEqual({ results: [], next: null });
  const { brl } = await fundedWallet(upstream);
  expect((await upstream.get(`/v1/accounts/${brl.uuid}/movements/${all[1]?.uuid}/`)).status).toBe(404);
});
