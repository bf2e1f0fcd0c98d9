// GET /pix/recipients: lists whom the user has paid, those paid last first.

import type { PixRecipient } from '../../../openapi/generated/openapi.ts';
import { type Handler, ok } from '../../api/operation.ts';
import { page, pageStart } from '../../api/paging.ts';
import { encryptionContexts } from '../../security/encryption-contexts.ts';
import type { Open, Sealer } from '../../security/sealer.ts';
import type { Db } from '../../tables/orm.ts';
import { listRecipients as readPage, type ShownRecipient } from '../../tables/pix-recipients/statements.ts';
import { noteRecipients } from './note.ts';

export const listPixRecipients: Handler<'listPixRecipients', { db: Db; sealer: Sealer }> = async (
  { user: { id: userId }, query },
  { db, sealer },
) => {
  await noteRecipients({ db, sealer }, userId);
  const found = await readPage(db, { userId, ...pageStart(query) });
  // The list is in the order of the last payments.
  const placed = found.map((row) => ({ ...row, createdAt: row.lastPaidAt }));
  const { rows, headers } = page('/pix/recipients', query, placed);
  const open = await sealer.openerOf(userId);
  const recipients = rows.map((row) => recipientFrom(open, row));
  return ok(recipients, headers);
};

function recipientFrom(open: Open, row: ShownRecipient): PixRecipient {
  const { userId, namedPaymentId, recipientNameSealed: name } = row;
  return {
    id: row.id,
    recipientName:
      namedPaymentId && name && open(encryptionContexts.recipientName(userId, namedPaymentId), name),
    pixKey: open(encryptionContexts.pixKey(userId, row.lastPaymentId), row.pixKeySealed),
    pixKeyType: row.pixKeyType,
    lastPaidAt: row.lastPaidAt.toISOString(),
  };
}
