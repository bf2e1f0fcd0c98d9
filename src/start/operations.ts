// Maps every operation of the contract to its handler.

import { closeAccount } from '../privacy/close-account.ts';
import { createDataRequest } from '../privacy/create-data-request.ts';
import { createPixPayment } from '../payments/create.ts';
import { createPixQuote } from '../payments/create-quote.ts';
import { createSession } from '../onboarding/create-session.ts';
import { createWithdraw } from '../withdrawals/create.ts';
import type { Gates } from '../api/gate.ts';
import { getHealth } from '../metrics/get-health.ts';
import { getKycStatus } from '../onboarding/get-kyc-status.ts';
import { getMe } from '../onboarding/get-me.ts';
import { getPixPayment } from '../payments/get.ts';
import { getTransaction } from '../ledger/get-transaction.ts';
import { listBankDetails } from '../onboarding/list-bank-details.ts';
import { listPixPayments } from '../payments/list.ts';
import { listTransactions } from '../ledger/list-transactions.ts';
import { listWithdraws } from '../withdrawals/list.ts';
import type { Handlers } from '../api/operation.ts';
import { providerGate } from '../webhooks/provider-webhook-gate.ts';
import { receiveProviderWebhook } from '../webhooks/receive-provider-webhook.ts';
import { retryPixPayment } from '../payments/retry.ts';
import { saveBankDetails } from '../onboarding/save-bank-details.ts';
import { startKyc } from '../onboarding/start-kyc.ts';
import { updateMe } from '../onboarding/update-me.ts';

export const handlers: Handlers = {
  getHealth,
  createSession,
  getMe,
  updateMe,
  closeAccount,
  createDataRequest,
  startKyc,
  getKycStatus,
  saveBankDetails,
  listBankDetails,
  listTransactions,
  getTransaction,
  createPixQuote,
  createPixPayment,
  listPixPayments,
  getPixPayment,
  retryPixPayment,
  createWithdraw,
  listWithdraws,
  receiveProviderWebhook,
};

/** The operations that a gate authorises instead of a session. */
export const gates: Gates = { receiveProviderWebhook: providerGate };
