// POST /bank-details: saves the destination of a currency. Saving again replaces it, and the provider validates it again.

import { replaceBankDetails } from './replace-bank-details.ts';
import { canonicalBankDetails } from '../domain/bank-details.ts';
import { invalid } from '../domain/refusals.ts';
import { bankDetailsFrom } from '../ledger/bank-details.ts';
import { created, type Handler, ok } from '../api/operation.ts';

export const saveBankDetails: Handler<'saveBankDetails'> = async ({ user, body, requestId }, app) => {
  const canonical = canonicalBankDetails(body);
  if (!canonical.ok) throw invalid(`/body/${canonical.field}`, canonical.message);
  const { row, isNew } = await replaceBankDetails(app, user.id, canonical.details, requestId);
  const view = await bankDetailsFrom(app.sealer, row, { reveal: false });
  return isNew ? created(view) : ok(view);
};
