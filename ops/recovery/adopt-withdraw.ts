// Adopts a withdrawal whose row was lost. Its payout names the bank account, so everything can be rebuilt except the time of the
// request: the time of the provider's last change replaces it. Later events find the row like any other.
import { type BankDetails, bankNumbersOf } from '../../src/domain/bank-details.ts';
import { newId } from '../../src/domain/ids.ts';
import { openBankDetails } from '../../src/ledger/bank-details.ts';
import { advance } from '../../src/lifecycle/advance.ts';
import { withdraw } from '../../src/lifecycle/withdraw.ts';
import { transaction } from '../../src/outbox/hand-off.ts';
import { acceptWithdraw } from '../../src/payments/withdrawals/create.ts';
import { eventOf } from '../../src/provider/events.ts';
import { withdrawEvent } from '../../src/reports/subject.ts';
import { encryptionContexts } from '../../src/security/encryption-contexts.ts';
import type { Sealer } from '../../src/security/sealer.ts';
import { listBankDetails } from '../../src/tables/bank-details/statements.ts';
import type { Db } from '../../src/tables/orm.ts';
import type { Cause } from '../../src/tables/transitions/entity.ts';
import type { Adopted, Orphan, RecoveryServices } from './orphan.ts';
import { claim, NotAdoptable, writeResources } from './write.ts';

/** A lifecycle that emits no effects, because the payout already exists. */
const takenOver: typeof withdraw = { ...withdraw, emitsNothing: true };

/**
 * The version of bank details that are not saved now. With it, no later withdrawal to the saved details counts as a repetition of the
 * adopted one.
 */
const SAVED_NEVER = 0;

export async function adoptWithdraw(
  { db, outbox, provider, sealer, clock, config }: RecoveryServices,
  orphan: Orphan,
  cause: Cause,
): Promise<Adopted> {
  const { userId } = orphan.match;
  if (userId === null) throw new NotAdoptable(orphan.match.why ?? 'its user is unknown');
  const snapshot = await provider.getPayout(orphan.providerRef);
  const { destination } = snapshot;
  if (destination.rail === 'PIX') throw new NotAdoptable('it is not a withdrawal');
  const { details } = destination;
  if (snapshot.currency !== details.currency)
    throw new NotAdoptable('its currency is not that of the bank account');
  const id = orphan.match.id ?? newId();
  const written = {
    id,
    amountMinor: snapshot.amountMinor,
    bankDetails: await savedAs({ db, sealer }, userId, details),
    nameCheck: null,
    destinationSealed: await sealer.seal(
      encryptionContexts.withdrawDestination(userId, id),
      JSON.stringify(details),
    ),
  };
  return transaction({ db, outbox }, async (tx) => {
    const parts = [{ snapshot, leg: null }];
    await claim(tx, userId, parts);
    const settling = await acceptWithdraw({ config }, tx, written, cause, snapshot.updatedAt, takenOver);
    const event = eventOf(snapshot);
    const meaning = event && withdrawEvent(event);
    const row = meaning && (await advance(tx, takenOver, settling, meaning, cause, snapshot.updatedAt));
    await writeResources({ sealer, clock }, tx, { userId, subjectKind: 'withdraw', subjectId: id }, parts);
    return { id, state: (row ?? settling).state, why: null };
  });
}

async function savedAs({ db, sealer }: { db: Db; sealer: Sealer }, userId: string, details: BankDetails) {
  const { currency } = details;
  const saved = (await listBankDetails(db, { userId })).find((row) => row.currency === currency);
  const same = saved && sameAs(await openBankDetails(sealer, saved), details);
  return {
    id: saved?.id ?? newId(),
    userId,
    currency,
    version: saved && same ? saved.version : SAVED_NEVER,
  };
}

const sameAs = (one: BankDetails, other: BankDetails): boolean =>
  bankNumbersOf(one) === bankNumbersOf(other) && one.accountHolderName === other.accountHolderName;
