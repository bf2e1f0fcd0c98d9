// DELETE /pix/recipients/{id}: removes a recipient from the list of those whom the user has paid. The payments stay.
import { type Handler, noContent } from '../../api/operation.ts';
import { Refusal } from '../../domain/refusals.ts';
import type { Sealer } from '../../security/sealer.ts';
import type { Db } from '../../tables/orm.ts';
import { deleteRecipient } from '../../tables/pix-recipients/statements.ts';
import { noteRecipients } from './note.ts';

export const removePixRecipient: Handler<'removePixRecipient', { db: Db; sealer: Sealer }> = async (
  { user: { id: userId }, params: { id } },
  { db, sealer },
) => {
  // Afterwards, only a later payment can bring the recipient back.
  await noteRecipients({ db, sealer }, userId);
  if ((await deleteRecipient(db, { id, userId })) === 0) throw new Refusal('not_found');
  return noContent();
};
