// POST /pix/recipients/lookup: returns who owns a PIX key, so that the user sees whom a payment goes to before it is confirmed.
import { askWithinBudget } from '../api/name-budget.ts';
import { type Handler, ok } from '../api/operation.ts';
import { madeAt, newId } from '../domain/ids.ts';
import { NAMES_KEPT_MS } from '../domain/lookup-life.ts';
import type { AnswerKind } from '../domain/name-budget.ts';
import { canonicalPixKey, type PixKeyType } from '../domain/pix-key.ts';
import { isExpired } from '../domain/quote-life.ts';
import { invalidPixKey, Refusal } from '../domain/refusals.ts';
import { required } from '../domain/required.ts';
import { activeAccount } from '../ledger/active-accounts.ts';
import type { DatabaseClock } from '../platform/database/database-time.ts';
import { onOneConnection } from '../platform/database/db-transaction.ts';
import { type LookedUp, lookUpPixKey } from '../provider/look-up-pix-key.ts';
import type { PixKeyOwner, Provider } from '../provider/port.ts';
import { encryptionContexts } from '../security/encryption-contexts.ts';
import type { Sealer } from '../security/sealer.ts';
import type { Db } from '../tables/orm.ts';
import { findLookup, insertLookup } from '../tables/pix-lookups/statements.ts';
import { listAccounts } from '../tables/provider-accounts/statements.ts';
import { findOwner } from '../tables/provider-resources/statements.ts';
import type { KnownUser } from '../tables/users/statements.ts';

type Services = {
  db: Db;
  databaseClock: DatabaseClock;
  metrics: { nameBudgetEmpty: () => void };
  provider: Provider<'interactive'>;
  sealer: Sealer;
};

export const lookUpPixRecipient: Handler<'lookUpPixRecipient', Services> = async (
  { user, body, requestId },
  services,
) => {
  const { pixKeyType } = body;
  const pixKey = canonicalPixKey(pixKeyType, body.pixKey);
  if (pixKey === null) throw new Refusal('invalid_request', [invalidPixKey(pixKeyType)]);
  const ownerRef = await ownerRefOf(services.db, user);
  const answer = await askWithinBudget(
    services,
    { userId: user.id, requestId },
    () => lookUpPixKey(services.provider, { ownerRef, pixKey, pixKeyType }),
    ({ outcome }) => kinds[outcome],
  );
  if (answer.outcome !== 'found') throw refusalOf(answer);
  const { name, taxIdMasked, institution } = answer.owner;
  const { id, expiresAt } = await keepLookup(services, user.id, { pixKey, pixKeyType }, answer.owner);
  return ok({
    lookupId: id,
    recipientName: name,
    taxIdMasked,
    institution,
    expiresAt: expiresAt.toISOString(),
  });
};

const kinds: Record<LookedUp['outcome'], AnswerKind> = {
  found: 'name',
  unknown: 'nobody',
  unavailable: 'no_answer',
  unsupported: 'no_answer',
};

function refusalOf(answer: Exclude<LookedUp, { outcome: 'found' }>): Refusal {
  if (answer.outcome === 'unknown') return new Refusal('pix_key_unknown');
  if (answer.outcome === 'unsupported') return new Refusal('not_offered');
  return new Refusal('lookup_unavailable', undefined, { cause: answer.cause });
}

/**
 * Returns the provider's id of the user, who asks.
 * @throws Refusal `account_not_active` unless the user's home account is active. It is opened when the verification is completed.
 */
export async function ownerRefOf(db: Db, { id: userId, homeCurrency }: KnownUser): Promise<string> {
  const [accounts, owner] = await onOneConnection(db, (connection) => [
    listAccounts(connection, { userId }),
    findOwner(connection, { kycId: userId, userId }),
  ]);
  // A user without a home currency has no account. The refusal names the missing step.
  await activeAccount(db, { userId, accounts }, [homeCurrency ?? 'BRL']);
  return required(owner?.providerRef ?? undefined, `the owner of the user ${userId}`);
}

type Key = { pixKey: string; pixKeyType: PixKeyType };

async function keepLookup(
  { db, sealer }: Pick<Services, 'db' | 'sealer'>,
  userId: string,
  { pixKey, pixKeyType }: Key,
  { lookupRef, name, taxIdMasked, institution }: PixKeyOwner,
): Promise<{ id: string; expiresAt: Date }> {
  const id = newId();
  const row = await insertLookup(db, {
    id,
    userId,
    providerLookupId: lookupRef,
    pixKeyType,
    pixKeySealed: await sealer.seal(encryptionContexts.lookupKey(userId, id), pixKey),
    recipientNameSealed: await sealer.seal(encryptionContexts.lookupName(userId, id), name),
    recipientTaxIdSealed: await sealer.seal(encryptionContexts.lookupTaxId(userId, id), taxIdMasked),
    institution,
  });
  return { id, expiresAt: required(row, `the look-up ${id}`).expiresAt };
}

/**
 * Finds the name that the user saw in a look-up.
 * @param now the database's clock, which also set the look-up's end.
 * @throws Refusal `not_found`; `lookup_expired`, also for a look-up that may have been deleted; or `lookup_of_another_key`.
 */
export async function nameInLookup(
  { db, sealer }: Pick<Services, 'db' | 'sealer'>,
  { id, userId }: { id: string; userId: string },
  { pixKey, pixKeyType }: Key,
  now: Date,
): Promise<string> {
  const lookup = await findLookup(db, { id, userId });
  if (!lookup) throw new Refusal(mayBeDeleted(id, now) ? 'lookup_expired' : 'not_found');
  const open = await sealer.openerOf(userId);
  const isOfKey =
    lookup.pixKeyType === pixKeyType &&
    open(encryptionContexts.lookupKey(userId, lookup.id), lookup.pixKeySealed) === pixKey;
  if (!isOfKey) throw new Refusal('lookup_of_another_key');
  if (isExpired(lookup.expiresAt, now)) throw new Refusal('lookup_expired');
  return open(encryptionContexts.lookupName(userId, lookup.id), lookup.recipientNameSealed);
}

/** Returns whether a look-up or a code that was not found may have been deleted, because it was unused. Its id shows when it was created. */
export function mayBeDeleted(id: string, now: Date): boolean {
  const createdAt = madeAt(id);
  return createdAt !== null && now.getTime() - createdAt.getTime() > NAMES_KEPT_MS;
}
