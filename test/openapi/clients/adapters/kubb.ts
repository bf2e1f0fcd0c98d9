// The journey's calls with the client that kubb generates. Its fetch returns a refusal as an answer, so each status is checked, and
// it leaves the type of the content to its caller.
import type { Balance, PixPayment } from '../../../../build/generated-clients/kubb/index';
import * as api from '../../../../build/generated-clients/kubb/index';
import { BANK_DETAILS, type CreateApp, RECIPIENT, type Same } from '../app.ts';

export const keepsNull: [Same<PixPayment['endToEndId'], string | null>, Same<Extract<Balance, null>, null>] =
  [true, true];

/**
 * Returns the data of a success.
 * @throws an error with the answer otherwise.
 */
function must<Data>({ status, data }: { status: number; data: Data }): Data {
  if (status >= 400) throw new Error(`refused with ${status}: ${JSON.stringify(data)}`);
  return data;
}

const json = { 'content-type': 'application/json' };

/** The address is part of the generated client. */
export const createApp: CreateApp = () => {
  let token = '';
  const session = (): { headers: Record<string, string> } => ({
    headers: { ...json, authorization: `Bearer ${token}` },
  });
  return {
    signIn: async (idToken) => {
      const body = { provider: 'identity_provider_b', idToken } as const;
      token = must(await api.createSession(body, undefined, { headers: json })).sessionToken;
    },
    chooseCurrency: async () => {
      must(await api.updateMe({ homeCurrency: 'GBP' }, undefined, session()));
    },
    startVerification: async () => must(await api.startKyc({}, undefined, session())).verificationUrl,
    hasActiveAccount: async () => must(await api.getKycStatus(undefined, session())).hasActiveAccount,
    depositInstructions: async () => must(await api.getMe(undefined, session())).deposit,
    balance: async () => must(await api.getMe(undefined, session())).balance?.amount ?? null,
    quote: async (amountBrl) => must(await api.createPixQuote({ amountBrl }, undefined, session())).quoteId,
    pay: async (quoteId) => {
      const answer = await api.createPixPayment({ quoteId, ...RECIPIENT }, undefined, session());
      if (answer.status < 400) return { id: answer.data.pixPaymentId };
      return { code: (answer.data as unknown as api.ApiError).code };
    },
    payment: async (id) => must(await api.getPixPayment(id, undefined, session())),
    saveBankDetails: async () => {
      must(await api.saveBankDetails(BANK_DETAILS, undefined, session()));
    },
    withdraw: async (amount, key) =>
      must(await api.createWithdraw({ amount }, { 'Idempotency-Key': key }, session())).id,
    transactions: async (limit) =>
      must(await api.listTransactions({ limit }, undefined, session())).map(({ id }) => id),
  };
};
