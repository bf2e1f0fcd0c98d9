// An entry of `details` about something that a user mistyped has a code. An entry about a fault of the app has none.
import { expect, test } from 'vitest';
import { updateUser } from '../../src/onboarding/update-me.ts';
import { call } from '../support/http.ts';
import { must, signUp } from '../support/person.ts';
import { useWorld } from '../support/use-world.ts';

const { world } = useWorld();

const gbp = {
  currency: 'GBP',
  accountHolderName: 'Ana Souza',
  accountNumber: '31926819',
  sortCode: '60-16-13',
};
const eur = {
  currency: 'EUR',
  accountHolderName: 'Ana Souza',
  iban: 'DE89370400440532013000',
  bic: 'COBADEFFXXX',
};
const payment = {
  quoteId: 'quote_0198c2f5-0b11-7c9d-86e2-f3a4b5c6d7e8',
  pixKey: '52998224725',
  pixKeyType: 'cpf',
};

test.for([
  ['POST', '/pix/payments', { ...payment, pixKey: '52998224724' }, '/body/pixKey', 'invalid_pix_key'],
  ['POST', '/pix/payments', { ...payment, pixKey: '' }, '/body/pixKey', 'invalid_pix_key'],
  ['POST', '/pix/payments', { ...payment, pixKeyType: 'evp' }, '/body/pixKey', 'invalid_pix_key'],
  ['POST', '/pix/payments', { ...payment, recipientName: 'A\u202e' }, '/body/recipientName', 'invalid_name'],
  ['POST', '/pix/quote', { amountBrl: 0 }, '/body/amountBrl', 'invalid_amount'],
  ['POST', '/pix/quote', { amountBrl: 1.005 }, '/body/amountBrl', 'invalid_amount'],
  ['POST', '/withdraws', { amount: 0 }, '/body/amount', 'invalid_amount'],
  ['POST', '/withdraws', { amount: 10.5 }, '/body/amount', 'invalid_amount'],
  ['POST', '/bank-details', { ...gbp, sortCode: '601613' }, '/body/sortCode', 'invalid_sort_code'],
  [
    'POST',
    '/bank-details',
    { ...gbp, accountNumber: '3192681' },
    '/body/accountNumber',
    'invalid_account_number',
  ],
  ['POST', '/bank-details', { ...gbp, accountHolderName: '' }, '/body/accountHolderName', 'invalid_name'],
  ['POST', '/bank-details', { ...gbp, accountHolderName: ' ' }, '/body/accountHolderName', 'invalid_name'],
  ['POST', '/bank-details', { ...eur, iban: 'DE89370400440532013001' }, '/body/iban', 'invalid_iban'],
  ['POST', '/bank-details', { ...eur, iban: '' }, '/body/iban', 'invalid_iban'],
  [
    'POST',
    '/bank-details',
    { ...eur, iban: 'BR1800360305000010009795493C1' },
    '/body/iban',
    'iban_outside_sepa',
  ],
  ['POST', '/bank-details', { ...eur, bic: 'COBADE' }, '/body/bic', 'invalid_bic'],
  ['PATCH', '/me', { displayName: 'A\u0000' }, '/body/displayName', 'invalid_name'],
  ['PATCH', '/me', { displayName: 'A\u200bda' }, '/body/displayName', 'invalid_name'],
  [
    'POST',
    '/pix/payments',
    { ...payment, recipientName: 'A\u200bda' },
    '/body/recipientName',
    'invalid_name',
  ],
  ['POST', '/pix/payments', { ...payment, recipientName: ' ' }, '/body/recipientName', 'invalid_name'],
  [
    'POST',
    '/pix/payments',
    { ...payment, pixKey: 'a%b@example.com', pixKeyType: 'email' },
    '/body/pixKey',
    'invalid_pix_key',
  ],
  [
    'POST',
    '/bank-details',
    { ...gbp, accountHolderName: 'A\u202e' },
    '/body/accountHolderName',
    'invalid_name',
  ],
  [
    'POST',
    '/bank-details',
    { ...eur, accountHolderName: 'A\u2060da' },
    '/body/accountHolderName',
    'invalid_name',
  ],
] as const)('a mistyped value is named: %s %s with %j', async ([method, path, json, at, code]) => {
  const ada = await signUp(world);
  const { status, body } = await call(world, method, path, { token: ada.token, json });
  expect([status, body['code']]).toEqual([400, 'invalid_request']);
  expect(body['details']).toEqual([{ path: at, message: expect.any(String), code }]);
});

test.for([
  ['POST', '/pix/payments', { ...payment, pixKeyType: 'iban' }, '/body/pixKeyType'],
  ['POST', '/pix/payments', { ...payment, pixKey: undefined }, '/body/pixKey'],
  ['POST', '/bank-details', { ...gbp, iban: eur.iban }, '/body/iban'],
  ['POST', '/bank-details', { ...gbp, currency: 'USD' }, '/body/currency'],
  ['GET', '/transactions?limit=0', undefined, '/query/limit'],
] as const)('a fault of the app has no name: %s %s with %j', async ([method, path, json, at]) => {
  const ada = await signUp(world);
  const { status, body } = await call(world, method, path, { token: ada.token, json });
  expect(status).toBe(400);
  expect(body['details']).toEqual([{ path: at, message: expect.any(String) }]);
});

test.for([
  [
    'POST',
    '/bank-details',
    { ...gbp, accountNumber: '3192681', sortCode: '601613', accountHolderName: '' },
    [
      ['/body/accountHolderName', 'invalid_name'],
      ['/body/accountNumber', 'invalid_account_number'],
      ['/body/sortCode', 'invalid_sort_code'],
    ],
  ],
  [
    'POST',
    '/bank-details',
    { ...eur, accountHolderName: ' ', iban: 'DE89370400440532013001', bic: 'COBADE' },
    [
      ['/body/accountHolderName', 'invalid_name'],
      ['/body/iban', 'invalid_iban'],
      ['/body/bic', 'invalid_bic'],
    ],
  ],
  [
    'POST',
    '/pix/payments?page=1',
    { ...payment, pixKey: '', pixKeyType: 5, recipientName: '', note: 'x' },
    [
      ['/query/page'],
      ['/body/note'],
      ['/body/pixKey', 'invalid_pix_key'],
      ['/body/pixKeyType'],
      ['/body/recipientName', 'invalid_name'],
    ],
  ],
  [
    'POST',
    '/pix/payments',
    { ...payment, pixKey: '52998224724', recipientName: 'A\u200bda' },
    [
      ['/body/pixKey', 'invalid_pix_key'],
      ['/body/recipientName', 'invalid_name'],
    ],
  ],
  ['POST', '/pix/payments', {}, [['/body/quoteId'], ['/body/pixKey'], ['/body/pixKeyType']]],
] as const)(
  'every fault of a request is named, once for each place: %s %s with %j',
  async ([method, path, json, places]) => {
    const ada = await signUp(world);
    const { status, body } = await call(world, method, path, { token: ada.token, json });
    const details = body['details'] as { path: string; code?: string }[];
    const named = details.map(({ path: place, code }) =>
      [place, ...(code === undefined ? [] : [code])].join(),
    );
    expect(status).toBe(400);
    expect(new Set(named)).toEqual(new Set(places.map((place) => place.join())));
    expect(named).toHaveLength(places.length);
  },
);

const unknown = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, 1]));

test('a response names at most 20 places, however many faults a request has', async () => {
  const ada = await signUp(world);
  const send = async (path: string, json: object) =>
    (await call(world, 'POST', path, { token: ada.token, json })).body['details'];
  const first = { path: '/body/p0', message: 'is not expected here' };
  expect(await send('/withdraws', { amount: 1, ...unknown(3_000) })).toHaveLength(20);
  expect(await send('/withdraws', { amount: 1, ...unknown(20) })).toHaveLength(20);
  // The body is above 32 KiB, so only its first fault is named.
  expect(await send('/me/data-request', { type: 'access', ...unknown(90_000) })).toEqual([first]);
});

test('a name that was stored before hidden characters were refused is still shown', async () => {
  const ada = await signUp(world);
  const { displayName } = await updateUser(world.service.app, ada.userId, { displayName: 'A\u200bda' });
  expect(must(await ada.api.GET('/me')).user.displayName).toBe(displayName);
});
