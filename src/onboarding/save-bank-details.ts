// POST /bank-details: saves the destination of a currency. Saving again replaces it, and the provider validates it again.
import { created, type Handler, ok } from '../api/operation.ts';
import { recordVersion } from '../audit/rolled-back.ts';
import { type BankDetails, canonicalBankDetails } from '../domain/bank-details.ts';
import type { Clock } from '../domain/clock.ts';
import { newId } from '../domain/ids.ts';
import { Refusal } from '../domain/refusals.ts';
import { bankDetailsFrom, openBankDetails } from '../ledger/bank-details.ts';
import { enqueueEffect } from '../outbox/enqueue.ts';
import { type Committing, type EnqueuingTx, transaction } from '../outbox/hand-off.ts';
import { encryptionContexts } from '../security/encryption-contexts.ts';
import { SealBroken } from '../security/envelope.ts';
import type { Sealer } from '../security/sealer.ts';
import { listBankDetails, upsertBankDetails } from '../tables/bank-details/statements.ts';
import { isValidationPending } from '../tables/effects/statements.ts';
import type { Db } from '../tables/orm.ts';
import type { Entity } from '../tables/rows.ts';
import { lockUser } from '../tables/users/lock-user.ts';

export const saveBankDetails: Handler<
  'saveBankDetails',
  Committing & { sealer: Sealer; clock: Clock }
> = async ({ user, body, requestId }, services) => {
  const canonical = canonicalBankDetails(body);
  if (!canonical.ok) {
    const details = canonical.faults.map(({ field, ...fault }) => ({ path: `/body/${field}`, ...fault }));
    throw new Refusal('invalid_request', details);
  }
  const { row, isNew } = await replaceBankDetails(services, user.id, canonical.details, requestId);
  const view = await bankDetailsFrom(services.sealer, row, { reveal: false });
  return isNew ? created(view) : ok(view);
};

/**
 * The maximum number of tries. The last one saves the details without comparing them, so that other saves cannot delay it further.
 */
const MAX_TRIES = 3;

/** Identical details that the bank gave its answer about less than this time ago are not validated again. */
const VALIDATED_ONCE_IN_MS = 60_000;

type Saved = { row: Entity<'BankDetails'>; isNew: boolean };

/** Saves the details. @returns the saved row, and whether it is the first one of its currency. */
export async function replaceBankDetails(
  services: Committing & { sealer: Sealer; clock: Clock },
  userId: string,
  details: BankDetails,
  requestId: string,
): Promise<Saved> {
  for (let tries = 1; ; tries += 1) {
    const saved = await trySaving(services, userId, details, requestId, { isLastTry: tries === MAX_TRIES });
    if (saved !== null) return saved;
  }
}

/** Saves the details once. Returns null if another request saved details between the comparison and the lock. */
async function trySaving(
  { db, outbox, sealer, clock }: Committing & { sealer: Sealer; clock: Clock },
  userId: string,
  details: BankDetails,
  requestId: string,
  { isLastTry }: { isLastTry: boolean },
): Promise<Saved | null> {
  const before = await bankDetailsIn(db, userId, details.currency);
  const isSame = before !== undefined && (await isSaved(sealer, before, details));
  const seal = (version: number): Promise<Buffer> =>
    sealer.seal(encryptionContexts.bankDetails(userId, details.currency, version), JSON.stringify(details));
  // Sealing may load a key, so it runs before the transaction.
  const sealedNext = await seal(versionAfter(before));
  return transaction({ db, outbox }, async (tx) => {
    await lockUser(tx, userId);
    const current = await bankDetailsIn(tx, userId, details.currency);
    const isCompared = current?.version === before?.version;
    if (!isCompared && !isLastTry) return null;
    const now = clock.now();
    const isNew = current === undefined;
    // Identical details keep their version, so that a repeated withdrawal to them is still recognised as a repetition.
    if (current && isCompared && isSame) {
      if (!wasJustAnswered(current, now) && !(await isPending(tx, current)))
        await enqueueValidation(tx, current, now);
      return { row: current, isNew };
    }
    const version = versionAfter(current);
    // Another save has used the version that the details were sealed for. The key is in memory now, so the last
    // try seals again under the lock.
    const detailsSealed = isCompared ? sealedNext : await seal(version);
    const { currency } = details;
    const moments = { createdAt: now, updatedAt: now };
    const row = await upsertBankDetails(tx, {
      id: newId(),
      userId,
      currency,
      detailsSealed,
      version,
      ...moments,
    });
    if (!row) throw new Error('the upsert of bank details returned no row');
    await enqueueValidation(tx, row, now);
    if (!isNew) await recordVersion(tx, { ...row, userId }, requestId, now);
    return { row, isNew };
  });
}

/** Returns whether the bank has just answered. `unavailable` is not an answer, so the user may ask again immediately. */
const wasJustAnswered = (
  { validationStatus: status, validatedAt }: Entity<'BankDetails'>,
  now: Date,
): boolean =>
  status !== null &&
  status !== 'unavailable' &&
  validatedAt !== null &&
  // Another process, whose clock may be ahead, can have written the time.
  Math.abs(now.getTime() - validatedAt.getTime()) < VALIDATED_ONCE_IN_MS;

const isPending = async (tx: Db, { id, userId, version }: Entity<'BankDetails'>): Promise<boolean> =>
  (await isValidationPending(tx, { bankDetailsId: id, userId, version })) !== undefined;

const bankDetailsIn = async (
  db: Db,
  userId: string,
  wanted: BankDetails['currency'],
): Promise<Entity<'BankDetails'> | undefined> =>
  (await listBankDetails(db, { userId })).find(({ currency }) => currency === wanted);

const enqueueValidation = (tx: EnqueuingTx, row: Entity<'BankDetails'>, now: Date): Promise<void> =>
  enqueueEffect(tx, {
    subject: { kind: 'bank_details', id: row.id, userId: row.userId, seq: row.version },
    effect: { type: 'validateBankDetails' },
    resource: null,
    now,
  });

const versionAfter = (row: Entity<'BankDetails'> | undefined): number => (row?.version ?? 0) + 1;

/**
 * Returns whether the row has the same details. Details that do not open (for example because a former value was put
 * back) are replaced by every save.
 */
async function isSaved(sealer: Sealer, row: Entity<'BankDetails'>, details: BankDetails): Promise<boolean> {
  try {
    return JSON.stringify(await openBankDetails(sealer, row)) === JSON.stringify(details);
  } catch (error) {
    if (error instanceof SealBroken) return false;
    throw error;
  }
}
