// Accounts: each has one currency and one balance. GBP and EUR accounts also have bank coordinates for deposits.

import type { SandboxContext } from '../context.ts';
import { balance, customer } from '../ledger.ts';
import { writeAmount } from '../money.ts';
import { enqueueCallback } from '../outbox.ts';
import { cancelPlanned, schedule } from '../schedule.ts';
import type { AccountRow } from '../store/rows.ts';
import { isoTime } from '../time.ts';
import { coordinatesFor } from './bank-coordinates.ts';
import type { Operation } from './handler.ts';
import { newUuid } from './new-uuid.ts';
import { created, idOf, ok, type Schemas } from './operation.ts';
import { refuse } from './refusal.ts';
import { byHandle, change, contentOf, create, existing, repeated, setCallbackUrl } from './resources.ts';

export const createAccount: Operation<Schemas['AccountCreate']> = (context, call) => {
  const { external_id, owner_uuid, currency, callback_url = null } = call.body;
  const content = contentOf(call.body);
  const earlier = repeated(context, 'accounts', external_id, content);
  if (earlier) return ok(presentAccount(context, earlier));
  const holder = existing(context, 'owners', owner_uuid);
  if (holder.status !== 'COMPLETED') throw refuse('rejected', 'the owner is not verified');
  const row = create(
    context,
    'accounts',
    {
      uuid: newUuid(),
      external_id,
      content,
      owner_uuid: holder.uuid,
      currency,
      status: 'PROVISIONING',
      callback_url,
      updated_at: context.now(),
    },
    { call },
  );
  context.store.insert('ledger_accounts', { name: customer(row.uuid), currency, balance: 0 });
  schedule(context, context.options.activateMs, 'activate', row.uuid, {});
  return created(presentAccount(context, row));
};

export const getAccount: Operation = (context, call) =>
  ok(presentAccount(context, existing(context, 'accounts', idOf(call))));

export const findAccounts: Operation = (context, call) => {
  const rows = byHandle(context, 'accounts', call.query.external_id ?? '');
  return ok({ results: rows.map((row) => presentAccount(context, row)) });
};

export const updateAccount: Operation<Schemas['CallbackUpdate']> = (context, call) =>
  ok(presentAccount(context, setCallbackUrl(context, 'accounts', idOf(call), call.body)));

export const currencyOf = (context: SandboxContext, uuid: string): AccountRow['currency'] =>
  existing(context, 'accounts', uuid).currency;

/** @throws a refusal unless money may move on the account. */
export function assertActive(row: AccountRow): void {
  if (row.status !== 'ACTIVE') throw refuse('account_not_active', 'the account is still being opened');
}

/** Whether the balance covers the amount, in minor units. */
export const covers = (context: SandboxContext, row: AccountRow, amount: number): boolean =>
  balance(context, customer(row.uuid)) >= amount;

export function assertCovers(context: SandboxContext, row: AccountRow, amount: number): void {
  if (!covers(context, row, amount)) throw refuse('insufficient_funds', 'the balance does not cover this');
}

/** Activates the account, assigns its bank coordinates and sends the callback. */
export function activate(context: SandboxContext, uuid: string): AccountRow {
  const row = existing(context, 'accounts', uuid);
  if (row.status === 'ACTIVE') return row;
  const values = { status: 'ACTIVE', ...coordinatesFor(row.currency, row.seq) } as const;
  const active = change(context, 'accounts', row, values);
  enqueueCallback(context, 'account.status_updated', 'accounts', active, presentAccount(context, active));
  return active;
}

/**
 * Activates an account now, instead of at the planned time.
 * @throws 409 if it is already active, 404 if there is none.
 */
export function activateNow(context: SandboxContext, uuid: string): Schemas['Account'] {
  if (existing(context, 'accounts', uuid).status === 'ACTIVE')
    throw refuse('rejected', 'the account is ACTIVE already: that is final', 409);
  cancelPlanned(context, uuid);
  return presentAccount(context, activate(context, uuid));
}

export function presentAccount(context: SandboxContext, row: AccountRow): Schemas['Account'] {
  return {
    uuid: row.uuid,
    external_id: row.external_id,
    owner_uuid: row.owner_uuid,
    currency: row.currency,
    status: row.status,
    balance: writeAmount(balance(context, customer(row.uuid)), row.currency),
    deposit_instructions: instructions(context, row),
    updated_at: isoTime(row.updated_at),
  };
}

function instructions(context: SandboxContext, row: AccountRow): Schemas['DepositInstructions'] {
  const account_holder_name = () => existing(context, 'owners', row.owner_uuid).full_name ?? '';
  if (row.account_number && row.sort_code)
    return {
      account_holder_name: account_holder_name(),
      account_number: row.account_number,
      sort_code: row.sort_code,
    };
  if (row.iban && row.bic)
    return { account_holder_name: account_holder_name(), iban: row.iban, bic: row.bic };
  return null;
}
