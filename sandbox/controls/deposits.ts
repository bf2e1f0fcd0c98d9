// Deposits: money from outside, addressed by bank coordinates, as a paying bank addresses it.

import type { SandboxContext } from '../context.ts';
import { outside } from '../ledger.ts';
import { readAmount, writeAmount } from '../money.ts';
import { assertActive } from '../provider/accounts.ts';
import { move } from '../provider/movements.ts';
import { refuse } from '../provider/refusal.ts';
import type { AccountRow } from '../store/rows.ts';
import { withPlaces } from './values.ts';

/** The fields as received, from a form or from any JSON. */
export interface Deposit {
  accountUuid?: unknown;
  sortCode?: unknown;
  accountNumber?: unknown;
  iban?: unknown;
  amount?: unknown;
  reference?: unknown;
}

/** Credits the account and sends the callback. Accepts spaces, and an amount without decimals. */
export function deposit(context: SandboxContext, request: Deposit) {
  const row = receiver(context, request);
  if (!row) throw refuse('not_found', 'no account has these bank details');
  assertActive(row);
  const amount = readAmount(withPlaces(text(request.amount).trim()), row.currency, 'amount');
  const reference = text(request.reference).trim() || null;
  const movement_uuid = move(context, row, 'DEPOSIT', amount, outside(row.currency), {
    origin_id: reference,
  });
  return {
    account_uuid: row.uuid,
    movement_uuid,
    amount: writeAmount(amount, row.currency),
    currency: row.currency,
    reference,
  };
}

function receiver(context: SandboxContext, request: Deposit): AccountRow | undefined {
  const uuid = bare(request.accountUuid).toLowerCase();
  if (uuid) return context.store.get<AccountRow>('select * from accounts where uuid = ?', uuid);
  const iban = bare(request.iban);
  if (iban) return context.store.get<AccountRow>('select * from accounts where iban = ?', iban.toUpperCase());
  const sql = 'select * from accounts where account_number = ? and sort_code = ?';
  const sortCode = bare(request.sortCode)
    .replaceAll('-', '')
    .replace(/^(..)(..)(..)$/, '$1-$2-$3');
  return context.store.get<AccountRow>(sql, bare(request.accountNumber), sortCode);
}

const bare = (value: unknown) => text(value).replace(/\s/g, '');
const text = (value: unknown) => (typeof value === 'string' ? value : '');
