// The journey's calls with the fetch client that orval generates. An answer has its status, which determines the type of its data.
import type { Balance, PixPayment } from '../../../../build/generated-clients/orval/client';
import * as api from '../../../../build/generated-clients/orval/client';
import { BANK_DETAILS, type CreateApp, RECIPIENT, type Same } from '../app.ts';

export const keepsNull: [Same<PixPayment['endToEndId'], string | null>, Same<Extract<Balance, null>, null>] =
  [true, true];

const refused = (answer: { status: number; data: unknown }): Error =>
  new Error(`refused with ${answer.status}: ${JSON.stringify(answer.data)}`);

/** The address is part of the generated client. */
export const createApp: CreateApp = () => {
  let token = '';
  const session = (): RequestInit => ({ headers: { authorization: `Bearer ${token}` } });
  return {
    signIn: async (idToken) => {
      const answer = await api.createSession({ provider: 'identity_provider_b', idToken });
      if (answer.status !== 200) throw refused(answer);
      token = answer.data.sessionToken;
    },
    chooseCurrency: async () => {
      const answer = await api.updateMe({ homeCurrency: 'GBP' }, undefined, session());
      if (answer.status !== 200) throw refused(answer);
    },
    startVerification: async () => {
      const answer = await api.startKyc({}, undefined, session());
      if (answer.status !== 200) throw refused(answer);
      return answer.data.verificationUrl;
    },
    hasActiveAccount: async () => {
      const answer = await api.getKycStatus(undefined, session());
      if (answer.status !== 200) throw refused(answer);
      return answer.data.hasActiveAccount;
    },
    depositInstructions: async () => {
      const answer = await api.getMe(undefined, session());
      if (answer.status !== 200) throw refused(answer);
      return answer.data.deposit;
    },
    balance: async () => {
      const answer = await api.getMe(undefined, session());
      if (answer.status !== 200) throw refused(answer);
      return answer.data.balance?.amount ?? null;
    },
    quote: async (amountBrl) => {
      const answer = await api.createPixQuote({ amountBrl }, undefined, session());
      if (answer.status !== 200) throw refused(answer);
      return answer.data.quoteId;
    },
    pay: async (quoteId) => {
      const answer = await api.createPixPayment({ quoteId, ...RECIPIENT }, undefined, session());
      if (answer.status === 200 || answer.status === 201) return { id: answer.data.pixPaymentId };
      return { code: answer.data.code };
    },
    payment: async (id) => {
      const answer = await api.getPixPayment(id, undefined, session());
      if (answer.status !== 200) throw refused(answer);
      return answer.data;
    },
    saveBankDetails: async () => {
      const answer = await api.saveBankDetails(BANK_DETAILS, undefined, session());
      if (answer.status !== 200 && answer.status !== 201) throw refused(answer);
    },
    withdraw: async (amount, key) => {
      const answer = await api.createWithdraw({ amount }, { 'Idempotency-Key': key }, session());
      if (answer.status !== 200 && answer.status !== 201) throw refused(answer);
      return answer.data.id;
    },
    transactions: async (limit) => {
      const answer = await api.listTransactions({ limit }, undefined, session());
      if (answer.status !== 200) throw refused(answer);
      return answer.data.map(({ id }) => id);
    },
  };
};
