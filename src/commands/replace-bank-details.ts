// Saves bank details. A user has one destination per currency, and a save replaces it. The provider validates each change.
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

/** The last try saves the details without comparing them, so that other saves cannot delay it further. */
const MOST_TRIES = 3;

/** Identical details that were sent for validation less than this many seconds ago are not validated again. */
const VALIDATED_ONCE_IN_SECONDS = 60;

type Saved = { row: BankDetailsRow; isNew: boolean };

/** Saves the details. @returns the saved row, and whether it is the first one of its currency. */
export async function replaceBankDetails(app: App, userId: string, details: BankDetails): Promise<Saved> {
  for (let tries = 1; ; tries += 1) {
    const saved = await trySaving(app, userId, details, { isLastTry: tries === MOST_TRIES });
    if (saved !== null) return saved;
  }
}

/** @returns null if another request saved details between the comparison and the lock. */
async function trySaving(
  app: App,
  userId: string,
  details: BankDetails,
  { isLastTry }: { isLastTry: boolean },
): Promise<Saved | null> {
  const known = await bankDetailsIn(app.db, userId, details.currency);
  const isSame = known !== undefined && sameDetails(await openBankDetails(app.sealer, known), details);
  // Sealing may load a key, so it comes before the transaction.
  const context = encryptionContexts.bankDetails(userId, details.currency);
  const details_sealed = await app.sealer.seal(context, JSON.stringify(details));
  return transaction(app, async (tx) => {
    await lockUser(tx, userId);
    const current = await bankDetailsIn(tx, userId, details.currency);
    const isCompared = current?.version === known?.version;
    if (!isCompared && !isLastTry) return null;
    const now = app.clock.now();
    const isNew = current === undefined;
    // Identical details keep their version, so a repeated withdrawal to them is still recognised as a repetition.
    if (current && isCompared && isSame) {
      if (!(await wasJustValidated(tx, current))) await enqueueValidation(tx, current, now);
      return { row: current, isNew };
    }
    const row = await upsert(tx, userId, { currency: details.currency, details_sealed }, now);
    await enqueueValidation(tx, row, now);
    return { row, isNew };
  });
}

async function wasJustValidated(tx: Db, { id, user_id, version }: BankDetailsRow): Promise<boolean> {
  const { rows } = await sql`
    select from effects
    where subject_id = ${id} and user_id = ${user_id} and seq = ${version}
      and created_at > now() - make_interval(secs => ${VALIDATED_ONCE_IN_SECONDS})
    limit 1
  `.execute(tx);
  return rows.length > 0;
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
