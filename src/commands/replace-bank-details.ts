// Saving bank details: one destination for each currency; another one takes its place. Each save is validated anew.
import { sql } from 'kysely';
import type { App } from '../app.ts';
import { lockUser } from '../balance/reserve.ts';
import type { Db } from '../database/orm.ts';
import type { BankDetails } from '../domain/bank-details.ts';
import { newId } from '../domain/ids.ts';
import type { BankDetailsRow } from '../entities/rows.ts';
import { enqueueEffect } from '../outbox/enqueue.ts';
import { transaction } from '../outbox/transaction.ts';
import { listBankDetails, openBankDetails } from '../queries/bank-details.ts';
import { encryptionContexts } from '../sealing/encryption-contexts.ts';

/** @returns the row as it now is, and whether it is the currency's first. */
export async function replaceBankDetails(
  app: App,
  userId: string,
  details: BankDetails,
): Promise<{ row: BankDetailsRow; isNew: boolean }> {
  const known = await bankDetailsIn(app.db, userId, details.currency);
  const isSame = known !== undefined && sameDetails(await openBankDetails(app.sealer, known), details);
  // Sealing may load a key, so it comes before the transaction.
  const context = encryptionContexts.bankDetails(userId, details.currency);
  const details_sealed = await app.sealer.seal(context, JSON.stringify(details));
  const row = await transaction(app, async (tx) => {
    await lockUser(tx, userId);
    const current = await bankDetailsIn(tx, userId, details.currency);
    if (current?.version !== known?.version) return null;
    const now = app.clock.now();
    // The same details again are the same destination: a withdrawal that is repeated is still the one that was made.
    const saved =
      isSame && current
        ? current
        : await upsert(tx, userId, { currency: details.currency, details_sealed }, now);
    await enqueueValidation(tx, saved, now);
    return saved;
  });
  // Another request was faster, perhaps with these very details, so they are compared again.
  return row ? { row, isNew: known === undefined } : replaceBankDetails(app, userId, details);
}

const bankDetailsIn = async (
  db: Db,
  userId: string,
  wanted: BankDetails['currency'],
): Promise<BankDetailsRow | undefined> =>
  (await listBankDetails(db, userId)).find(({ currency }) => currency === wanted);

const upsert = (
  tx: Db,
  userId: string,
  columns: Pick<BankDetailsRow, 'currency' | 'details_sealed'>,
  now: Date,
): Promise<BankDetailsRow> =>
  tx
    .insertInto('bank_details')
    .values({ id: newId(), user_id: userId, ...columns, version: 1, created_at: now, updated_at: now })
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'currency']).doUpdateSet((values) => ({
        details_sealed: values.ref('excluded.details_sealed'),
        version: sql<number>`bank_details.version + 1`,
        validation_status: null,
        validated_at: null,
        updated_at: now,
      })),
    )
    .returningAll()
    .executeTakeFirstOrThrow();

const enqueueValidation = (tx: Db, row: BankDetailsRow, now: Date): Promise<void> =>
  enqueueEffect(tx, {
    subject: { kind: 'bank_details', id: row.id, userId: row.user_id, seq: row.version },
    effect: { type: 'validateBankDetails' },
    resource: null,
    now,
  });

const sameDetails = (one: BankDetails, other: BankDetails): boolean =>
  JSON.stringify(one) === JSON.stringify(other);
