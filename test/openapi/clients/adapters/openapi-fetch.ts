// The journey's calls with openapi-fetch, on the types that openapi-typescript generates.
import createClient from 'openapi-fetch';
import type { components, paths } from '../../../../build/generated-clients/openapi-fetch/contract';
import { BANK_DETAILS, type CreateApp, must, RECIPIENT, type Same } from '../app.ts';

type PixPayment = components['schemas']['PixPayment'];
type Balance = components['schemas']['Balance'];
export const keepsNull: [Same<PixPayment['endToEndId'], string | null>, Same<Extract<Balance, null>, null>] =
  [true, true];

export const createApp: CreateApp = (baseUrl) => {
  const api = createClient<paths>({ baseUrl });
  let token = '';
  api.use({
    onRequest: ({ request }) => {
      if (token !== '') request.headers.set('authorization', `Bearer ${token}`);
    },
  });
  return {
    signIn: async (idToken) => {
      const { data, error } = await api.POST('/auth/session', {
        body: { provider: 'identity_provider_b', idToken },
      });
      token = must(data, error).sessionToken;
    },
    chooseCurrency: async () => {
      const { data, error } = await api.PATCH('/me', { body: { homeCurrency: 'GBP' } });
      must(data, error);
    },
    startVerification: async () => {
      const { data, error } = await api.POST('/kyc/start', { body: {} });
      return must(data, error).verificationUrl;
    },
    hasActiveAccount: async () => {
      const { data, error } = await api.GET('/kyc/status');
      return must(data, error).hasActiveAccount;
    },
    depositInstructions: async () => {
      const { data, error } = await api.GET('/me');
      return must(data, error).deposit;
    },
    balance: async () => {
      const { data, error } = await api.GET('/me');
      return must(data, error).balance?.amount ?? null;
    },
    quote: async (amountBrl) => {
      const { data, error } = await api.POST('/pix/quote', { body: { amountBrl } });
      return must(data, error).quoteId;
    },
    pay: async (quoteId) => {
      const { data, error } = await api.POST('/pix/payments', { body: { quoteId, ...RECIPIENT } });
      return data ? { id: data.pixPaymentId } : { code: error.code };
    },
    payment: async (id) => {
      const { data, error } = await api.GET('/pix/payments/{id}', { params: { path: { id } } });
      return must(data, error);
    },
    saveBankDetails: async () => {
      const { data, error } = await api.POST('/bank-details', { body: BANK_DETAILS });
      must(data, error);
    },
    withdraw: async (amount, key) => {
      const { data, error } = await api.POST('/withdraws', {
        body: { amount },
        params: { header: { 'Idempotency-Key': key } },
      });
      return must(data, error).id;
    },
    transactions: async (limit) => {
      const { data, error } = await api.GET('/transactions', { params: { query: { limit } } });
      return must(data, error).map(({ id }) => id);
    },
  };
};
