// A request that succeeds, for each operation of the contract. Tests that concern every operation send these.

import { magicCode } from '../../sandbox/magic.ts';
import type { OperationId } from '../../src/api/operation.ts';
import { gbp } from './bank-details.ts';
import { call, type Said } from './http.ts';
import { mintIdToken, must, type Person, passVerification, pay, quote, reaches, signUp } from './person.ts';
import { until } from './until.ts';
import type { World } from './world.ts';

/** `path` is the value of the parameter in the operation's address. */
export type SuccessfulRequest = Said & { path?: string; query?: string };

/**
 * Returns a request that succeeds for each operation; a new operation does not compile until it has its own. Payments are made by
 * an operation of the contract that comes before those that read or retry them.
 * @param ada is verified and has a deposit. The requests are hers.
 */
export const successfulRequests = (
  world: World,
  ada: Person,
): Record<OperationId, () => Promise<SuccessfulRequest>> => {
  const by = { token: ada.token };
  const idIn = async (path: string): Promise<string> => {
    const { text } = await call(world, 'GET', path, by);
    return (JSON.parse(text) as { id: string }[])[0]?.id ?? '';
  };
  return {
    getHealth: async () => ({}),
    createSession: async () => ({
      json: {
        provider: 'identity_provider_b',
        idToken: await mintIdToken(world, 'b', { subject: 'somebody' }),
      },
    }),
    getMe: async () => ({}),
    updateMe: async () => ({ json: { displayName: 'Ada Silva' } }),
    closeAccount: async () => ({}),
    createDataRequest: async () => ({ json: { type: 'access' } }),
    startKyc: async () => ({ token: (await newcomer(world)).token }),
    restartKyc: async () => ({ token: await refusedOnce(world) }),
    getKycStatus: async () => {
      const { token } = await newcomer(world);
      await call(world, 'POST', '/kyc/start', { token });
      return { token };
    },
    saveBankDetails: async () => ({ json: gbp }),
    listBankDetails: async () => ({ query: '?reveal=true' }),
    checkBankDetails: async () => ({ json: { currency: 'GBP' } }),
    listTransactions: async () => ({ query: '?limit=1' }),
    getTransaction: async () => ({ path: await idIn('/transactions') }),
    createPixQuote: async () => ({ json: { amountBrl: 20 } }),
    readPixCode: async () => ({ json: { code: magicCode('fixed') } }),
    lookUpPixRecipient: async () => ({ json: { pixKey: 'joana@pix.example', pixKeyType: 'email' } }),
    listPixRecipients: async () => ({}),
    removePixRecipient: async () => {
      await completedPayment(ada);
      return { path: await idIn('/pix/recipients') };
    },
    createPixPayment: async () => {
      const { quoteId } = await quote(ada, 20);
      return { json: { quoteId, pixKey: 'fail@pix.example', pixKeyType: 'email' } };
    },
    listPixPayments: async () => ({}),
    getPixPayment: async () => ({ path: await idIn('/pix/payments') }),
    getPixReceipt: async () => ({ path: await completedPayment(ada) }),
    contestPixPayment: async () => ({ path: await completedPayment(ada), json: contestation }),
    getPixContestation: async () => {
      const path = await completedPayment(ada);
      await call(world, 'POST', `/pix/payments/${path}/contestation`, { ...by, json: contestation });
      return { path };
    },
    retryPixPayment: async () => {
      const payments = must(await ada.api.GET('/pix/payments'));
      const { id = '' } = payments.find(({ pixKey }) => pixKey === 'fail@pix.example') ?? {};
      await reaches(ada, id, 'payout_failed');
      return { path: id };
    },
    createWithdraw: async () => ({ json: { amount: 1_000 } }),
    listWithdraws: async () => ({}),
    receiveProviderWebhook: async () => ({
      path: world.webhookSecret,
      json: { event: 'something.else', data: {}, updated_at: '2026-11-21T12:00:00Z' },
    }),
  };
};

const contestation = { reason: 'scam', description: 'The shop does not exist.' };

/** Returns the id of a completed payment. A world without a worker completes none, so one that is completed already is used. */
async function completedPayment(ada: Person): Promise<string> {
  const payments = must(await ada.api.GET('/pix/payments'));
  const completed = payments.find(({ status }) => status === 'completed');
  const id = completed?.id ?? (await pay(ada, await quote(ada, 20)));
  await reaches(ada, id, 'completed');
  return id;
}

/** Returns a user who has chosen a currency and is not verified yet. */
async function newcomer(world: World): Promise<Person> {
  const person = await signUp(world);
  must(await person.api.PATCH('/me', { body: { homeCurrency: 'GBP' } }));
  return person;
}

/** Returns the session of a user whose verification has failed. */
async function refusedOnce(world: World): Promise<string> {
  const eve = await signUp(world);
  await passVerification(eve, 'Eve Fail');
  await until(
    () => eve.ponte.verification(),
    ({ status }) => status === 'failed',
  );
  return eve.token;
}
