// Maps every operation of the contract to its handler.

import type { Gates } from '../api/admission.ts';
import { type Handlers, ok } from '../api/operation.ts';
import { checkBankDetails } from '../onboarding/check-bank-details.ts';
import { createSession } from '../onboarding/create-session.ts';
import { getKycStatus } from '../onboarding/get-kyc-status.ts';
import { getMe } from '../onboarding/get-me.ts';
import { listBankDetails } from '../onboarding/list-bank-details.ts';
import { restartKyc } from '../onboarding/restart-kyc.ts';
import { saveBankDetails } from '../onboarding/save-bank-details.ts';
import { startKyc } from '../onboarding/start-kyc.ts';
import { updateMe } from '../onboarding/update-me.ts';
import { createPixPayment } from '../payments/confirm.ts';
import { contestPixPayment } from '../payments/contest.ts';
import { createPixQuote } from '../payments/create-quote.ts';
import { getPixPayment } from '../payments/get.ts';
import { getPixContestation } from '../payments/get-contestation.ts';
import { listPixPayments } from '../payments/list.ts';
import { lookUpPixRecipient } from '../payments/look-up-recipient.ts';
import { readPixCode } from '../payments/read-code.ts';
import { getPixReceipt } from '../payments/receipt.ts';
import { listPixRecipients } from '../payments/recipients/list.ts';
import { removePixRecipient } from '../payments/recipients/remove.ts';
import { retryPixPayment } from '../payments/retry.ts';
import { getTransaction } from '../payments/transactions/get.ts';
import { listTransactions } from '../payments/transactions/list.ts';
import { createWithdraw } from '../payments/withdrawals/create.ts';
import { listWithdraws } from '../payments/withdrawals/list.ts';
import { closeAccount } from '../privacy/close-account.ts';
import { createDataRequest } from '../privacy/create-data-request.ts';
import { createProviderGate } from '../webhooks/provider-webhook-gate.ts';
import { receiveProviderWebhook } from '../webhooks/receive.ts';
import type { App, CallerServices } from './app.ts';

export const handlers: Handlers<CallerServices<'interactive'>> = {
  getHealth: async () => ok({ status: 'ok' }),
  createSession,
  getMe,
  updateMe,
  closeAccount,
  createDataRequest,
  startKyc,
  restartKyc,
  getKycStatus,
  saveBankDetails,
  listBankDetails,
  checkBankDetails,
  listTransactions,
  getTransaction,
  createPixQuote,
  readPixCode,
  lookUpPixRecipient,
  listPixRecipients,
  removePixRecipient,
  createPixPayment,
  listPixPayments,
  getPixPayment,
  getPixReceipt,
  contestPixPayment,
  getPixContestation,
  retryPixPayment,
  createWithdraw,
  listWithdraws,
  receiveProviderWebhook,
};

/** Returns the gates of the operations that have no session. */
export const createGates = (app: App): Gates => ({ receiveProviderWebhook: createProviderGate(app) });
