// Has the provider check whether a saved bank account belongs to the name given. The result advises the user and blocks nothing.
import { openBankDetails } from '../queries/bank-details.ts';
import { findBankDetails, keepValidation } from '../sql/bank-details.ts';
import type { EffectHandler } from './effect.ts';

export const validateBankDetails: EffectHandler = async (app, effect) => {
  const key = { id: effect.subject_id, userId: effect.user_id };
  const row = await findBankDetails(app.db, key);
  if (!row) return { kind: 'done' };
  const validationStatus = await app.provider.validateBankDetails(await openBankDetails(app.sealer, row));
  const validatedAt = app.clock.now();
  await keepValidation(app.db, { ...key, version: effect.seq, validationStatus, validatedAt });
  return { kind: 'done' };
};
