// GET /bank-details: returns the saved details masked, or in full if the app requests that for
// editing. A request in full is audited.

import { bankDetailsFrom } from '../ledger/bank-details.ts';
import { listBankDetails as readBankDetails } from '../platform/sql/bank-details.ts';
import { type Handler, ok } from '../api/operation.ts';

export const listBankDetails: Handler<'listBankDetails'> = async ({ user, query, requestId }, app) => {
  const reveal = query.reveal === true;
  const rows = await readBankDetails(app.db, { userId: user.id });
  // If no details are saved, none are revealed.
  if (reveal && rows.length > 0)
    await app.auditLog.record({ action: 'bank-details.revealed', userId: user.id }, requestId);
  return ok(await Promise.all(rows.map((row) => bankDetailsFrom(app.sealer, row, { reveal }))));
};
