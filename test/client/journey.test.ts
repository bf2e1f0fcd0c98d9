// The client and the running service: from signing in to payments that are made, sent again and listed, and a withdrawal.
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { all } from '../../harness/people/all.ts';
import {
  createPonte,
  hasEnded,
  type Ponte,
  PonteError,
  type TransactionFilters,
} from '../../packages/client/src/index.ts';
import { mintIdToken, type Person, passVerification, receiveDeposit } from '../support/person.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';

let ponte: Ponte;
let person: Person;
const sessions: (string | null)[] = [];

const { world } = useWorld();
beforeAll(async () => {
  ponte = createPonte({ baseUrl: world.url, onSession: (token) => void sessions.push(token) });
  const idToken = await mintIdToken(world, 'b', {
    subject: randomUUID(),
    email: 'ada@example.com',
    emailVerified: true,
    name: 'Ada Silva',
  });
  const { user, sessionToken } = await ponte.signIn({ provider: 'identity_provider_b', idToken });
  const { sandboxUrl } = world;
  person = { ponte, api: ponte.api, sandboxUrl, userId: user.id, token: sessionToken, world };
});

test('the client signs in with the nonce of the sign-in, and not with another one', async () => {
  const idToken = await mintIdToken(world, 'a', { subject: randomUUID(), nonce: 'n-1' });
  const other = createPonte({ baseUrl: world.url });
  const refused = other.signIn({ provider: 'identity_provider_a', idToken, nonce: 'n-2' });
  await expect(refused).rejects.toMatchObject({ code: 'invalid_id_token', status: 401 });
  const { user } = await other.signIn({ provider: 'identity_provider_a', idToken, nonce: 'n-1' });
  expect(user.email).toBeNull();
});

test('the client signs in, verifies and receives a deposit', async () => {
  expect(sessions).toEqual([person.token]);
  expect(await ponte.updateMe({ homeCurrency: 'GBP' })).toMatchObject({ homeCurrency: 'GBP' });
  await passVerification(person);
  expect((await ponte.waitForVerification()).status).toBe('completed');
  await until(ponte.me, ({ deposit }) => deposit !== null);
  await receiveDeposit(person, '500.00');
  expect((await until(ponte.me, ({ balance }) => balance?.amount === 50_000)).balance?.currency).toBe('GBP');
});

test('the client pays a PIX key, and reports each status until the end', async () => {
  const { quoteId } = await until(
    () => ponte.quote(25).catch((error: unknown) => error as PonteError),
    (quoted) => !(quoted instanceof PonteError),
  ).then((quoted) => quoted as Exclude<typeof quoted, PonteError>);
  const key = { pixKey: '52998224725', pixKeyType: 'cpf' } as const;
  const { lookupId, recipientName } = await ponte.lookUpRecipient(key);
  expect(recipientName).toBe('Joana Lima');
  const to = { quoteId, ...key, lookupId };
  const { pixPaymentId } = await until(
    () => ponte.pay(to).catch((error: unknown) => error as PonteError),
    (paid) => !(paid instanceof PonteError),
  ).then((paid) => paid as Exclude<typeof paid, PonteError>);
  expect((await ponte.pay(to)).pixPaymentId).toBe(pixPaymentId);

  const seen: string[] = [];
  const payment = await ponte.waitForPayment(pixPaymentId, {
    onChange: ({ status }) => void seen.push(status),
  });
  expect(payment).toMatchObject({ status: 'completed', amountBrl: '25.00', recipientName });
  expect(seen.at(-1)).toBe('completed');
  expect((await ponte.waitForTransaction(payment.transactionId)).status).toBe('completed');
  expect(await ponte.receipt(pixPaymentId)).toMatchObject({
    amountBrl: '25.00',
    recipientName,
    pixKeyMasked: '***.982.247-**',
  });
});

test('the client lists the recipient that was paid, and removes it from the list', async () => {
  const [recipient] = await all(ponte.recipients({ pageSize: 1 }));
  expect(recipient).toMatchObject({ pixKey: '52998224725', pixKeyType: 'cpf', recipientName: 'Joana Lima' });
  expect(await ponte.removeRecipient(recipient?.id ?? '')).toBeUndefined();
  expect(await all(ponte.recipients())).toEqual([]);
  await expect(ponte.removeRecipient(recipient?.id ?? '')).rejects.toMatchObject({ code: 'not_found' });
});

test('the client says that a key leads to no account', async () => {
  const looking = ponte.lookUpRecipient({ pixKey: 'unknown@pix.example', pixKeyType: 'email' });
  await expect(looking).rejects.toMatchObject({ status: 404, code: 'pix_key_unknown' });
});

test('a retried payout is sent once, whatever the app repeats', async () => {
  const { quoteId } = await ponte.quote(10);
  const { pixPaymentId: id } = await ponte.pay({
    quoteId,
    pixKey: 'recover@pix.example',
    pixKeyType: 'email',
  });
  expect(await ponte.waitForPayment(id)).toMatchObject({ status: 'payout_failed' });
  const idempotencyKey = randomUUID();
  await ponte.retryPayment(id, { idempotencyKey });
  await ponte.retryPayment(id, { idempotencyKey });
  expect(await ponte.waitForPayment(id)).toMatchObject({ status: 'completed' });
});

test('a list is complete for any page size', async () => {
  const transactions = await all(ponte.transactions({ pageSize: 1 }));
  expect(transactions.map(({ type }) => type)).toEqual(['payment', 'payment', 'deposit']);
  expect(await all(ponte.transactions())).toEqual(transactions);
  expect(await all(ponte.payments({ pageSize: 1 }))).toHaveLength(2);
});

test('a list has what matches its filters, for any page size', async () => {
  const [newest, older, deposit] = await all(ponte.transactions());
  for (const pageSize of [1, 100]) {
    const ids = async (filters: TransactionFilters) =>
      (await all(ponte.transactions({ pageSize, ...filters }))).map(({ id }) => id);
    expect(await ids({ type: ['payment', 'withdraw'] })).toEqual([newest?.id, older?.id]);
    expect(await ids({ type: ['deposit'], status: ['pending', 'completed'] })).toEqual([deposit?.id]);
    expect(await ids({ minAmount: 50_000, maxAmount: 50_000 })).toEqual([deposit?.id]);
    // The offset has a plus sign.
    const from = older?.createdAt.replace('Z', '+00:00') ?? '';
    expect(await ids({ from })).toEqual([newest?.id, older?.id]);
    expect(await ids({ to: from })).toEqual([deposit?.id]);
    expect(await all(ponte.payments({ pageSize, status: ['failed'] }))).toEqual([]);
    const large = await all(ponte.payments({ pageSize, status: ['completed'], minAmountBrl: '10.01' }));
    expect(large.map(({ amountBrl }) => amountBrl)).toEqual(['25.00']);
  }
  const refused = all(ponte.transactions({ minAmount: 2, maxAmount: 1 }));
  await expect(refused).rejects.toMatchObject({ details: [{ path: '/query/minAmount' }] });
});

test('the client withdraws to the saved account', async () => {
  await expect(ponte.withdraw(1_000)).rejects.toMatchObject({ status: 409, code: 'bank_details_required' });
  await ponte.saveBankDetails({
    currency: 'GBP',
    accountHolderName: 'Ada Silva',
    accountNumber: '12345678',
    sortCode: '12-34-56',
  });
  expect(await ponte.bankDetails()).toMatchObject([
    { accountNumber: expect.stringContaining('5678') as string },
  ]);
  const { checkId, validationStatus } = await ponte.checkBankDetails({ currency: 'GBP' });
  expect(validationStatus).toBe('match');
  const { id } = await ponte.withdraw(1_000, { acceptedCheckId: checkId });
  expect(hasEnded(await ponte.waitForTransaction(id))).toBe(true);
  expect((await all(ponte.withdraws())).map((withdraw) => withdraw.id)).toEqual([id]);
});

test('a refusal is an error with its code, the sentence for the user, and the request id for support', async () => {
  const refused = await ponte.payment(randomUUID()).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(PonteError);
  const { status, code, requestId, message } = refused as PonteError;
  expect([status, code]).toEqual([404, 'not_found']);
  expect(requestId).toMatch(/^[\da-f-]{36}$/);
  expect(message).toMatch(/\.$/);
  await expect(ponte.quote(0)).rejects.toMatchObject({
    code: 'invalid_request',
    details: [{ path: expect.stringContaining('amountBrl') as string }],
  });
});

test('an expired session is reported to the app once', async () => {
  const stranger = createPonte({
    baseUrl: world.url,
    sessionToken: 'none',
    onSession: (token) => void sessions.push(token),
  });
  sessions.length = 0;
  await expect(stranger.me()).rejects.toMatchObject({ code: 'unauthorized' });
  await expect(stranger.me()).rejects.toMatchObject({ code: 'unauthorized' });
  expect(sessions).toEqual([null]);
});

test('closing the account ends it', async () => {
  await ponte.closeAccount();
  await expect(ponte.me()).rejects.toMatchObject({ code: 'account_closed' });
});
