// Applies a movement on one of a user's accounts. A deposit becomes a transaction, once. Any other movement is the counterpart of
// one of our effects: it only invalidates balances that were read earlier.

import type { Clock } from '../domain/clock.ts';
import { handleFor } from '../domain/handles.ts';
import { newId } from '../domain/ids.ts';
import { forgetBalance, invalidateBalance } from '../ledger/invalidate.ts';
import { type GroupCommitting, groupedTransaction } from '../outbox/hand-off.ts';
import { eventOf, type ProviderEvent } from '../provider/events.ts';
import type { Movement } from '../provider/port.ts';
import { unlessErased } from '../security/data-keys.ts';
import { encryptionContexts } from '../security/encryption-contexts.ts';
import type { Sealer } from '../security/sealer.ts';
import type { Db } from '../tables/orm.ts';
import { findAccountByRef } from '../tables/provider-accounts/statements.ts';
import type { Entity } from '../tables/rows.ts';
import { findDeposit, insertDeposit } from '../tables/transactions/statements.ts';
import type { Cause } from '../tables/transitions/entity.ts';
import { isObjectOf } from './as-expected.ts';
import { notAsOrdered, recordDiscrepancy } from './discrepancies.ts';

type Services = GroupCommitting & { clock: Clock; sealer: Sealer; config: { provider: { name: string } } };
type MovementResult = 'applied' | 'nothing_new' | 'refused';
type Deposit = Extract<ProviderEvent, { kind: 'deposit.received' }>;
type Account = NonNullable<Awaited<ReturnType<typeof findAccountByRef>>>;
type DepositRow = Entity<'Transaction'> & { providerRef: string };

/** Whom a report is about, and which transaction of theirs. Null if it is about none. */
export type ReportedAbout = { userId: string; transactionId: string | null };

/**
 * Applies a movement reported by the provider.
 * @param inSameCommit writes more in the same commit; it is called only if the account belongs to a user.
 * @returns `unmatched` if no user has the account, or the user was erased.
 */
export async function applyMovement(
  services: Services,
  movement: Movement,
  cause: Cause,
  inSameCommit?: (tx: Db, result: MovementResult, about: ReportedAbout) => Promise<void>,
): Promise<MovementResult | 'unmatched'> {
  const account = await findAccountByRef(services.db, { accountRef: movement.accountRef });
  if (!account) return 'unmatched';
  const event = eventOf(movement);
  const deposit =
    event?.kind === 'deposit.received' && account.currency === account.homeCurrency ? event : null;
  const isForeign = deposit !== null && deposit.currency !== account.currency;
  const isDeposit = deposit !== null && !isForeign;
  // Sealing may load a data key, so it runs before the transaction.
  const row = isDeposit ? await unlessErased(rowOf(services, account, movement, deposit)) : null;
  if (isDeposit && row === null) return 'unmatched';
  return groupedTransaction(services, account.userId, async (tx) => {
    if (isForeign) {
      const refused = await recordForeign(tx, account, movement, cause, services.clock.now());
      await inSameCommit?.(tx, refused, { userId: account.userId, transactionId: null });
      return refused;
    }
    const { result, depositId } = await apply(tx, account, row);
    await inSameCommit?.(tx, result, { userId: account.userId, transactionId: depositId });
    return result;
  });
}

type Applied = { result: 'applied' | 'nothing_new'; depositId: string | null };

async function apply(tx: Db, { userId }: Account, row: DepositRow | null): Promise<Applied> {
  if (row === null) {
    await invalidateBalance(tx, userId);
    return { result: 'nothing_new', depositId: null };
  }
  if (!(await insertOnce(tx, row))) {
    const recorded = await findDeposit(tx, row);
    return { result: 'nothing_new', depositId: recorded?.id ?? null };
  }
  await forgetBalance(tx, userId);
  return { result: 'applied', depositId: row.id };
}

async function rowOf(
  services: Services,
  { userId }: Account,
  movement: Movement,
  deposit: Deposit,
): Promise<DepositRow> {
  const id = newId();
  const { sourceReference = null } = deposit;
  const movedAt = earlier(movement.createdAt, services.clock.now());
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
        : await services.sealer.seal(encryptionContexts.sourceReference(userId, id), sourceReference),
    provider: services.config.provider.name,
    providerRef: movement.providerRef,
    failure: null,
    createdAt: movedAt,
    completedAt: movedAt,
  };
}

/** Returns the earlier of two times. A deposit is never dated in the future, even if the provider's clock is ahead. */
const earlier = (one: Date, other: Date): Date => (one < other ? one : other);

/** Inserts a deposit unless it is already recorded. A movement's id is unique per provider, so one user gets it, once. */
async function insertOnce(tx: Db, row: DepositRow): Promise<boolean> {
  const { userId, providerRef } = row;
  if (!(await isObjectOf(tx, { providerRef, kind: 'movement', userId }))) return false;
  return (await insertDeposit(tx, row)) === 1;
}

/**
 * Records a deposit in another currency than its account as a discrepancy. It appears in no user's transactions: an operator has
 * to find out what it is.
 */
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
