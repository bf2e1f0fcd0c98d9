// Has the provider check whether a saved bank account belongs to the name given. Advice for the user: it blocks nothing.
import { openBankDetails } from '../queries/bank-details.ts';
import type { EffectHandler } from './effect.ts';

export const validateBankDetails: EffectHandler = async (app, effect) => {
  const row = await app.db
    .selectFrom('bank_details')
    .selectAll()
    .where('id', '=', effect.subject_id)
    .where('user_id', '=', effect.user_id)
    .executeTakeFirst();
  if (!row) return { kind: 'done' };
  const status = await app.provider.validateBankDetails(await openBankDetails(app.sealer, row));
  await app.db
    .updateTable('bank_details')
    .set({ validation_status: status, validated_at: app.clock.now() })
    .where('id', '=', row.id)
    .where('user_id', '=', effect.user_id)
    // Saved again meanwhile: this answer is about bank details that are no longer there.
    .where('version', '=', effect.seq)
    .execute();
  return { kind: 'done' };
};
