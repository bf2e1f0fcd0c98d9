// The journey's calls with the client that @hey-api/openapi-ts generates: headers, path and query are options of each call.
import { client } from '../../../../build/generated-clients/hey-api/client.gen';
import type { Balance, PixPayment } from '../../../../build/generated-clients/hey-api/index';
import * as api from '../../../../build/generated-clients/hey-api/index';
import { BANK_DETAILS, type CreateApp, must, RECIPIENT, type Same } from '../app.ts';

export const keepsNull: [Same<PixPayment['endToEndId'], string | null>, Same<Extract<Balance, null>, null>] =
  [true, true];

export const createApp: CreateApp = (baseUrl) => {
  let token = '';
  client.setConfig({ baseUrl, auth: () => token });
  return {
    signIn: async (idToken) => {
      const { data, error } = await api.createSession({ body: { provider: 'identity_provider_b', idToken } });
      token = must(data, error).sessionToken;
    },
    chooseCurrency: async () => {
      const { data, error } = await api.updateMe({ body: { homeCurrency: 'GBP' } });
      must(data, error);
    },
    startVerification: async () => {
      const { data, error } = await api.startKyc({ body: {} });
      return must(data, error).verificationUrl;
    },
    hasActiveAccount: async () => {
      const { data, error } = await api.getKycStatus();
      return must(data, error).hasActiveAccount;
    },
    depositInstructions: async () => {
      const { data, error } = await api.getMe();
      return must(data, error).deposit;
    },
    balance: async () => {
      const { data, error } = await api.getMe();
      return must(data, error).balance?.amount ?? null;
    },
    quote: async (amountBrl) => {
      const { data, error } = await api.createPixQuote({ body: { amountBrl } });
      return must(data, error).quoteId;
    },
    pay: async (quoteId) => {
      const { data, error } = await api.createPixPayment({ body: { quoteId, ...RECIPIENT } });
      return data ? { id: data.pixPaymentId } : { code: error.code };
    },
    payment: async (id) => {
      const { data, error } = await api.getPixPayment({ path: { id } });
      return must(data, error);
    },
    saveBankDetails: async () => {
      const { data, error } = await api.saveBankDetails({ body: BANK_DETAILS });
      must(data, error);
    },
    withdraw: async (amount, key) => {
      const { data, error } = await api.createWithdraw({
        body: { amount },
        headers: { 'Idempotency-Key': key },
      });
      return must(data, error).id;
    },
    transactions: async (limit) => {
      const { data, error } = await api.listTransactions({ query: { limit } });
      return must(data, error).map(({ id }) => id);
    },
  };
};
