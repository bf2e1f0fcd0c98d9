// Validates bank accounts: whether the name belongs to the account. Nothing is stored.
import { accountHolderOutcome } from '../magic.ts';
import type { Operation } from './handler.ts';
import { ok, type Schemas } from './operation.ts';

export const createBankAccountValidation: Operation<Schemas['BankAccountValidationCreate']> = (
  _context,
  { body },
) => ok({ status: accountHolderOutcome(body.account_holder_name) });
