// Notes whom a user has paid. The list of recipients is its only reader, so it is brought up to date when it is read or changed: a
// payment's commit writes nothing more, and payments of earlier versions need no job.
import { v5 as uuidV5 } from 'uuid';
import type { PixKeyType } from '../../domain/pix-key.ts';
import { inDbTransaction } from '../../platform/database/db-transaction.ts';
import { encryptionContexts } from '../../security/encryption-contexts.ts';
import type { Sealer } from '../../security/sealer.ts';
import type { Db } from '../../tables/orm.ts';
import {
  listWithoutRecipient,
  setRecipient,
  WITHOUT_RECIPIENT_PAGE,
} from '../../tables/pix-payments/statements.ts';
import { noteAsPaid } from '../../tables/pix-recipients/statements.ts';
import { lockUser } from '../../tables/users/lock-user.ts';

type Services = { db: Db; sealer: Sealer };

/**
 * Adds all completed payments of a user to the recipients whom the user has paid. A payment is added once, so it does not bring back a
 * recipient that the user has removed since. Each page is a commit of its own: if the process is killed, the next read continues.
 * @throws Refusal `account_closed`
 */
export async function noteRecipients({ db, sealer }: Services, userId: string): Promise<void> {
  for (;;) {
    const payments = await listWithoutRecipient(db, { userId });
    if (payments.length === 0) return;
    const open = await sealer.openerOf(userId);
    const paid = await Promise.all(
      payments.map(async ({ id, pixKeyType, pixKeySealed }) => {
        const pixKey = open(encryptionContexts.pixKey(userId, id), pixKeySealed);
        return { id, recipientId: await recipientIdOf(sealer, userId, { pixKeyType, pixKey }) };
      }),
    );
    const byRecipient = Map.groupBy(paid, ({ recipientId }) => recipientId);
    await inDbTransaction(db, async (tx) => {
      // A closed account has no recipients.
      await lockUser(tx, userId);
      const noted = await Promise.all(
        [...byRecipient].map(([recipientId, ofRecipient]) =>
          setRecipient(tx, { userId, ids: ofRecipient.map(({ id }) => id), recipientId }),
        ),
      );
      await noteAsPaid(tx, { userId, paymentIds: noted.flat().map(({ id }) => id) });
    });
    if (payments.length < WITHOUT_RECIPIENT_PAGE) return;
  }
}

/**
 * Returns the id of a user's recipient: the same for the same canonical key. It is stored, so its derivation must never change. Only the
 * user's data key leads from a PIX key to the id.
 */
export async function recipientIdOf(
  sealer: Pick<Sealer, 'fingerprint'>,
  userId: string,
  { pixKeyType, pixKey }: { pixKeyType: PixKeyType; pixKey: string },
): Promise<string> {
  return uuidV5(await sealer.fingerprint(userId, 'pix-recipient', `${pixKeyType}:${pixKey}`), userId);
}
