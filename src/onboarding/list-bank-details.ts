// GET /bank-details: returns the saved details masked, or in full if the app requests that for
// editing. A request in full is audited.

import { type Handler, ok } from '../api/operation.ts';
import type { AuditLog } from '../audit/log.ts';
import { bankDetailsFrom } from '../ledger/bank-details.ts';
import type { Sealer } from '../security/sealer.ts';
import { listBankDetails as readBankDetails } from '../tables/bank-details/statements.ts';
import type { Db } from '../tables/orm.ts';

export const listBankDetails: Handler<
  'listBankDetails',
  { db: Db; sealer: Sealer; auditLog: AuditLog }
> = async ({ user, query, requestId }, { db, sealer, auditLog }) => {
  const reveal = query.reveal === true;
  const rows = await readBankDetails(db, { userId: user.id });
  // If no details are saved, none are revealed.
  if (reveal && rows.length > 0)
    await auditLog.record({ action: 'bank-details.revealed', userId: user.id }, requestId);
  return ok(await Promise.all(rows.map((row) => bankDetailsFrom(sealer, row, { reveal }))));
};
