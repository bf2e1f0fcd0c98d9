// Accounts: each has one currency and one balance. GBP and EUR accounts also have bank coordinates for deposits.
import { activationMs } from '../fault-injection/business.ts';
import { changedAt, createdAt } from '../faults/changes.ts';
import { shownAll, shownOne } from '../faults/reads.ts';
import { reported } from '../faults/reports.ts';
import { recordTwin } from '../faults/twins.ts';
import { isFindable } from '../faults/vanished.ts';
import { balance, customer } from '../ledger.ts';
import { writeAmount } from '../money.ts';
import { enqueueCallback } from '../outbox.ts';
import { cancelPlanned, schedule } from '../schedule.ts';
import type { AccountRow } from '../store/rows.ts';
import { isoTime } from '../time.ts';
import type { World } from '../world.ts';
import { coordinatesFor } from './bank-coordinates.ts';
import { setCallbackUrl } from './callbacks.ts';
import { contentOf, judgeHandle } from './handles.ts';
import { newUuid } from './new-uuid.ts';
import { type Call, created, idOf, type Operation, ok, type Schemas } from './operation.ts';
import { owner } from './owners.ts';
import { refuse } from './refusal.ts';

export const createAccount: Operation<Schemas['AccountCreate']> = (world, call) => {
  const { body } = call;
  const content = contentOf(body);
  const { known, twinOf } = judgeHandle(world, call, byHandle(world, body.external_id)[0], content);
  if (known) return ok(present(world, known));
  const holder = owner(world, body.owner_uuid.toLowerCase());
  if (holder.status !== 'COMPLETED') throw refuse('rejected', 'the owner is not verified');
  const uuid = newUuid();
  world.store.run(
    `insert into accounts (uuid, external_id, content, owner_uuid, currency, status, callback_url, updated_at)
     values (?, ?, ?, ?, ?, 'PROVISIONING', ?, ?)`,
    uuid,
    body.external_id,
    content,
    holder.uuid,
    body.currency,
    body.callback_url ?? null,
    createdAt(world, call, uuid),
  );
  world.store.run(
    'insert into ledger_accounts (name, currency, balance) values (?, ?, 0)',
    customer(uuid),
    body.currency,
  );
  schedule(world, activationMs(world), 'activate', uuid, {});
  if (twinOf) recordTwin(world, call, uuid, twinOf.uuid);
  return created(present(world, account(world, uuid)));
};

export const getAccount: Operation = (world, call) =>
  ok(present(world, shownOne(world, call, account(world, idOf(call)))));

export const findAccounts: Operation = (world, call) => {
  const rows = shownAll(world, call, byHandle(world, call.query.external_id ?? '')).filter((row) =>
    isFindable(world, row),
  );
  return ok({ results: rows.map((row) => present(world, row)) });
};

export const updateAccount: Operation<Schemas['CallbackUpdate']> = (world, call) => {
  setCallbackUrl(world, 'accounts', account(world, idOf(call)), call.body);
  return getAccount(world, call as Call<never>);
};

/**
 * Returns the account.
 * @throws 404 if there is none.
 */
export function account(world: World, uuid: string): AccountRow {
  const row = world.store.get<AccountRow>('select * from accounts where uuid = ?', uuid);
  if (!row) throw refuse('not_found', 'no such account');
  return row;
}

/** Returns the currency of an existing account. */
export function currencyOf(world: World, uuid: string): AccountRow['currency'] {
  const row = world.store.get<Pick<AccountRow, 'currency'>>(
    'select currency from accounts where uuid = ?',
    uuid,
  );
  if (!row) throw refuse('not_found', 'no such account');
  return row.currency;
}

/** @throws a refusal unless money may move on the account. */
export function assertActive(row: AccountRow): void {
  if (row.status !== 'ACTIVE') throw refuse('account_not_active', 'the account is still being opened');
}

/** Whether the balance covers the amount, in minor units. */
export const covers = (world: World, row: AccountRow, amount: number): boolean =>
  balance(world, customer(row.uuid)) >= amount;

export function assertCovers(world: World, row: AccountRow, amount: number): void {
  if (!covers(world, row, amount)) throw refuse('insufficient_funds', 'the balance does not cover this');
}

/** Activates the account, assigns its bank coordinates and sends the callback. */
export function activate(world: World, uuid: string): void {
  const row = account(world, uuid);
  if (row.status === 'ACTIVE') return;
  const coordinates = coordinatesFor(row.currency, row.seq);
  world.store.run(
    `update accounts set status = 'ACTIVE', account_number = ?, sort_code = ?, iban = ?, bic = ?, updated_at = ?
     where uuid = ?`,
    coordinates.account_number,
    coordinates.sort_code,
    coordinates.iban,
    coordinates.bic,
    changedAt(world, row, () => balance(world, customer(uuid))),
    uuid,
  );
  const active = account(world, uuid);
  const to = { resource: 'accounts' as const, uuid, callback_url: active.callback_url };
  enqueueCallback(world, 'account.status_updated', to, present(world, active), active.updated_at);
}

/**
 * Activates an account now, instead of at the planned time.
 * @throws 409 if it is already active, 404 if there is none.
 */
export function activateNow(world: World, uuid: string): Schemas['Account'] {
  if (account(world, uuid).status === 'ACTIVE')
    throw refuse('rejected', 'the account is ACTIVE already: that is final', 409);
  cancelPlanned(world, uuid);
  activate(world, uuid);
  return present(world, account(world, uuid));
}

/** Returns the accounts under a handle. The first one is the original; every other one is its twin. */
function byHandle(world: World, handle: string): AccountRow[] {
  return world.store.all<AccountRow>('select * from accounts where external_id = ? order by seq', handle);
}

function present(world: World, row: AccountRow): Schemas['Account'] {
  return reported(world, {
    uuid: row.uuid,
    external_id: row.external_id,
    owner_uuid: row.owner_uuid,
    currency: row.currency,
    status: row.status,
    balance: writeAmount(row.past_balance ?? balance(world, customer(row.uuid)), row.currency),
    deposit_instructions: instructions(world, row),
    updated_at: isoTime(row.updated_at),
  });
}

function instructions(world: World, row: AccountRow): Schemas['DepositInstructions'] {
  const account_holder_name = () => owner(world, row.owner_uuid).full_name ?? '';
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
