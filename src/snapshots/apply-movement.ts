// Applies a movement on one of a user's accounts. A deposit becomes a transaction, once. Any other movement is the other
// side of an effect of ours: it only invalidates the balance that was read before it.
import type { App } from '../app.ts';
import { invalidateBalance, invalidateByDeposit } from '../balance/invalidate.ts';
import type { Db } from '../database/orm.ts';
import { handleFor } from '../domain/handles.ts';
import { newId } from '../domain/ids.ts';
import type { Entity } from '../entities/rows.ts';
import type { Cause } from '../lifecycle/lifecycle.ts';
import { groupedTransaction } from '../outbox/hand-off.ts';
import { eventOf, type ProviderEvent } from '../provider/events.ts';
import type { Movement } from '../provider/port.ts';
import { unlessErased } from '../sealing/data-keys.ts';
import { encryptionContexts } from '../sealing/encryption-contexts.ts';
import { findAccountByRef } from '../sql/provider-accounts.ts';
import { insertDeposit } from '../sql/transactions.ts';
import type { ApplyResult } from './apply-snapshot.ts';
import { notAsOrdered, recordDiscrepancy } from './discrepancies.ts';
import { isObjectOf } from './object-users.ts';

type Services = Pick<App, 'db' | 'clock' | 'groupCommit' | 'outbox' | 'sealer' | 'config'>;
type Deposit = Extract<ProviderEvent, { kind: 'deposit.received' }>;
type Account = NonNullable<Awaited<ReturnType<typeof findAccountByRef>>>;
type Row = Entity<'Transaction'> & { providerRef: string };

/** @param inSameCommit what is to be written in the same commit, if the account is ours. */
export async function applyMovement(
  app: Services,
  movement: Movement,
  cause: Cause,
  inSameCommit?: (tx: Db, result: Exclude<ApplyResult, 'unmatched'>) => Promise<void>,
): Promise<ApplyResult> {
  const account = await findAccountByRef(app.db, { accountRef: movement.accountRef });
  if (!account) return 'unmatched';
  const event = eventOf(movement);
  const deposit =
    event?.kind === 'deposit.received' && account.currency === account.homeCurrency ? event : null;
  const isForeign = deposit !== null && deposit.currency !== account.currency;
  const isDeposit = deposit !== null && !isForeign;
  // Sealing may have to load a key, so it comes before the transaction.
  const row = isDeposit ? await unlessErased(rowOf(app, account, movement, deposit)) : null;
  if (isDeposit && row === null) return 'unmatched';
  return groupedTransaction(app, account.userId, async (tx) => {
    const result = isForeign
      ? await recordForeign(tx, account, movement, cause, app.clock.now())
      : await apply(tx, account, row);
    await inSameCommit?.(tx, result);
    return result;
  });
}

async function apply(tx: Db, { userId }: Account, row: Row | null): Promise<'applied' | 'nothing_new'> {
  if (row !== null && !(await insertOnce(tx, row))) return 'nothing_new';
  if (row === null) await invalidateBalance(tx, userId);
  else await invalidateByDeposit(tx, userId, row.sourceAmountMinor);
  return row === null ? 'nothing_new' : 'applied';
}

async function rowOf(app: Services, { userId }: Account, movement: Movement, deposit: Deposit): Promise<Row> {
  const id = newId();
  const { sourceReference = null } = deposit;
  const movedAt = earlier(movement.createdAt, app.clock.now());
  return {
    id,
    userId,
    type: 'deposit',
    status: 'completed',
    sourceCurrency: deposit.currency,
    sourceAmountMinor: deposit.amount,
    destCurrency: null,
    destAmountMinor: null,
    fxRate: null,
    sourceReferenceSealed:
      sourceReference === null
        ? null
        : await app.sealer.seal(encryptionContexts.sourceReference(userId, id), sourceReference),
    provider: app.config.provider.name,
    providerRef: movement.providerRef,
    failure: null,
    createdAt: movedAt,
    completedAt: movedAt,
  };
}

/** A provider's clock that is ahead dates nothing in the future. */
const earlier = (one: Date, other: Date): Date => (one < other ? one : other);

/** The movement's id is unique among a provider's, so a deposit is recorded once, for one user. */
async function insertOnce(tx: Db, row: Row): Promise<boolean> {
  const { userId, providerRef } = row;
  if (!(await isObjectOf(tx, { providerRef, kind: 'movement', userId }))) return false;
  return (await insertDeposit(tx, row)) === 1;
}

/** Money in a currency that the account does not hold is shown in no user's list: an operator finds out what it is. */
async function recordForeign(
  tx: Db,
  { id, userId, currency, state }: Account,
  { providerRef, createdAt, amountMinor, currency: reported }: Movement,
  cause: Cause,
  now: Date,
): Promise<'refused'> {
  const handle = handleFor(userId, `account-${currency}`);
  const account = { userId, subjectKind: 'provider_account', subjectId: id, handle } as const;
  const event = { type: 'deposit.received', amountMinor, currency: reported };
  const snapshot = { providerRef, updatedAt: createdAt };
  await recordDiscrepancy(tx, account, notAsOrdered(event, state, ['currency'], snapshot), cause, now);
  return 'refused';
}
