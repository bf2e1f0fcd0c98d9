// Asks the provider whether a saved bank account belongs to the given name. The result informs the user, and may block withdrawals
// (REQUIRE_BANK_MATCH).
import { openBankDetails } from '../ledger/bank-details.ts';
import { findBankDetails, setValidationStatus } from '../tables/bank-details/statements.ts';
import type { EffectHandler } from './effect.ts';

export const validateBankDetails: EffectHandler = async ({ db, provider, sealer, clock }, effect) => {
  const { subjectId: id, userId, seq: version } = effect;
  const row = await findBankDetails(db, { id, userId });
  if (!row) return { kind: 'done' };
  // Nobody waits for a suggested name here. A check before a withdrawal (onboarding/check-bank-details.ts) shows it.
  const { status: validationStatus } = await provider.validateBankDetails(await openBankDetails(sealer, row));
  await setValidationStatus(db, { id, userId, version, validationStatus, validatedAt: clock.now() });
  return { kind: 'done' };
};
