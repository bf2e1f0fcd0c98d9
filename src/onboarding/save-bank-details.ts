// POST /bank-details: saves the destination of a currency. Saving again replaces it, and the provider validates it again.

import { created, type Handler, ok } from '../api/operation.ts';
import { canonicalBankDetails } from '../domain/bank-details.ts';
import type { Clock } from '../domain/clock.ts';
import { invalid } from '../domain/refusals.ts';
import { bankDetailsFrom } from '../ledger/bank-details.ts';
import type { Committing } from '../outbox/hand-off.ts';
import type { Sealer } from '../platform/sealing/sealer.ts';
import { replaceBankDetails } from './replace-bank-details.ts';

export const saveBankDetails: Handler<
  'saveBankDetails',
  Committing & { sealer: Sealer; clock: Clock }
> = async ({ user, body, requestId }, services) => {
  const canonical = canonicalBankDetails(body);
  if (!canonical.ok) throw invalid(`/body/${canonical.field}`, canonical.message);
  const { row, isNew } = await replaceBankDetails(services, user.id, canonical.details, requestId);
  const view = await bankDetailsFrom(services.sealer, row, { reveal: false });
  return isNew ? created(view) : ok(view);
};
