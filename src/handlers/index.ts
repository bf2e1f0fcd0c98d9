// Maps every operation of the contract to its handler.

import { closeAccount } from './close-account.ts';
import { createDataRequest } from './create-data-request.ts';
import { createPixPayment } from './create-pix-payment.ts';
import { createPixQuote } from './create-pix-quote.ts';
import { createSession } from './create-session.ts';
import { createWithdraw } from './create-withdraw.ts';
import type { Gates } from './gate.ts';
import { getHealth } from './get-health.ts';
import { getKycStatus } from './get-kyc-status.ts';
import { getMe } from './get-me.ts';
import { getPixPayment } from './get-pix-payment.ts';
import { getTransaction } from './get-transaction.ts';
import { listBankDetails } from './list-bank-details.ts';
import { listPixPayments } from './list-pix-payments.ts';
import { listTransactions } from './list-transactions.ts';
import { listWithdraws } from './list-withdraws.ts';
import type { Handlers } from './operation.ts';
import { providerGate } from './provider-webhook-gate.ts';
import { receiveProviderWebhook } from './receive-provider-webhook.ts';
import { retryPixPayment } from './retry-pix-payment.ts';
import { saveBankDetails } from './save-bank-details.ts';
import { startKyc } from './start-kyc.ts';
import { updateMe } from './update-me.ts';

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
