// Validates bank accounts: whether the name belongs to the account. Nothing is stored.
import { type AccountHolderOutcome, accountHolderOutcome, suggestedName } from '../magic.ts';
import type { Operation } from './handler.ts';
import { ok, type Schemas } from './operation.ts';
import { refuse } from './refusal.ts';

const SLOW_MS = 8_000;

const STATUSES: Record<Exclude<AccountHolderOutcome, 'outage'>, Schemas['BankAccountValidationStatus']> = {
  matches: 'MATCH',
  slow: 'MATCH',
  close: 'CLOSE_MATCH',
  nameless: 'CLOSE_MATCH',
  mismatch: 'NO_MATCH',
  impossible: 'NOT_POSSIBLE',
  unavailable: 'UNAVAILABLE',
};

export const createBankAccountValidation: Operation<Schemas['BankAccountValidationCreate']> = (
  _context,
  { body: { account_holder_name: name } },
) => {
  const outcome = accountHolderOutcome(name);
  if (outcome === 'outage') throw refuse('unavailable', 'the banks cannot be asked');
  const reply = ok({
    status: STATUSES[outcome],
    ...(outcome === 'close' && { matched_name: suggestedName(name) }),
  });
  return outcome === 'slow' ? { ...reply, afterMs: SLOW_MS } : reply;
};
