// Every operation of the contract and its handler.
import type { SandboxContext } from '../context.ts';
import * as accounts from './accounts.ts';
import * as brCodes from './br-codes.ts';
import * as contestations from './contestations.ts';
import type { Operation } from './handler.ts';
import * as movements from './movements.ts';
import type { Call, OperationId, Reply } from './operation.ts';
import * as owners from './owners.ts';
import * as payoutChecks from './payout-checks.ts';
import * as payouts from './payouts.ts';
import * as pixKeyLookups from './pix-key-lookups.ts';
import * as quotes from './quotes.ts';
import { attempt } from './reply.ts';
import * as transfers from './transfers.ts';
import * as validations from './validations.ts';

/** The contract validates bodies before the handlers run, so each handler may declare the type of its body. */
export const handlers = {
  createOwner: owners.createOwner,
  getOwner: owners.getOwner,
  findOwners: owners.findOwners,
  updateOwner: owners.updateOwner,
  restartOwner: owners.restartOwner,
  createAccount: accounts.createAccount,
  getAccount: accounts.getAccount,
  findAccounts: accounts.findAccounts,
  updateAccount: accounts.updateAccount,
  listMovements: movements.listMovements,
  listCompanyMovements: movements.listCompanyMovements,
  getMovement: movements.getMovement,
  createQuote: quotes.createQuote,
  createInternalTransfer: transfers.createInternalTransfer,
  getInternalTransfer: transfers.getInternalTransfer,
  findInternalTransfers: transfers.findInternalTransfers,
  updateInternalTransfer: transfers.updateInternalTransfer,
  createPayout: payouts.createPayout,
  getPayout: payouts.getPayout,
  findPayouts: payouts.findPayouts,
  updatePayout: payouts.updatePayout,
  reissuePayout: payouts.reissuePayout,
  createContestation: contestations.createContestation,
  getContestation: contestations.getContestation,
  createPayoutCheck: payoutChecks.createPayoutCheck,
  createBrCode: brCodes.createBrCode,
  createPixKeyLookup: pixKeyLookups.createPixKeyLookup,
  createBankAccountValidation: validations.createBankAccountValidation,
} satisfies Record<OperationId, Operation>;

/** Handles a call in one transaction, which a refusal rolls back. */
export function perform(context: SandboxContext, call: Call): Reply {
  const handler: Operation = handlers[call.operation];
  const work = () => handler(context, call as Call<never>);
  return attempt(() => context.store.transaction(() => context.seams.callHandled(call, work)));
}

/** Shows a row as a GET does. */
export const present = {
  owners: owners.presentOwner,
  accounts: accounts.presentAccount,
  transfers: transfers.presentTransfer,
  payouts: payouts.presentPayout,
};
