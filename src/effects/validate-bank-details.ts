// Asks the provider whether a saved bank account belongs to the given name. The result informs the user and blocks nothing.
import { openBankDetails } from '../ledger/bank-details.ts';
import { findBankDetails, setValidationStatus } from '../platform/sql/bank-details.ts';
import type { EffectHandler } from './effect.ts';

export const validateBankDetails: EffectHandler = async (app, effect) => {
  const { subjectId: id, userId, seq: version } = effect;
  const row = await findBankDetails(app.db, { id, userId });
  if (!row) return { kind: 'done' };
  const validationStatus = await app.provider.validateBankDetails(await openBankDetails(app.sealer, row));
  await setValidationStatus(app.db, { id, userId, version, validationStatus, validatedAt: app.clock.now() });
  return { kind: 'done' };
};
