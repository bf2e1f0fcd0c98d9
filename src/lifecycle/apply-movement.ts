// Applies a movement on one of a user's accounts. A deposit becomes a transaction, once. Any other movement is the other
// side of something that we ordered ourselves: it only makes the balance that was read before it old.
import type { App } from '../app.ts';
import { invalidateBalance } from '../balance/invalidate.ts';
import type { Db } from '../database/orm.ts';
import { handleFor } from '../domain/handles.ts';
import { newId } from '../domain/ids.ts';
import { eventOf, type ProviderEvent } from '../provider/events.ts';
import type { Movement } from '../provider/port.ts';
import { encryptionContexts } from '../sealing/encryption-contexts.ts';
import type { ApplyResult } from './apply-snapshot.ts';
import { notAsOrdered, recordDiscrepancy } from './discrepancies.ts';
import type { Cause } from './lifecycle.ts';

type Services = Pick<App, 'db' | 'clock' | 'sealer' | 'config'>;
type Deposit = Extract<ProviderEvent, { kind: 'deposit.received' }>;
type Account = NonNullable<Awaited<ReturnType<typeof findAccount>>>;
type Row = Awaited<ReturnType<typeof rowOf>>;

/** @param alongside what is to be written in the same commit, if the account is ours. */
export async function applyMovement(
  app: Services,
  movement: Movement,
  cause: Cause,
  alongside?: (tx: Db, observation: Exclude<ApplyResult, 'unmatched'>) => Promise<void>,
): Promise<ApplyResult> {
  const account = await findAccount(app.db, movement.accountRef);
  if (!account) return 'unmatched';
  const event = eventOf(movement);
  const deposit = event?.kind === 'deposit.received' && account.currency === account.home ? event : null;
  const isForeign = deposit !== null && deposit.currency !== account.currency;
  // Sealing may have to load a key, so it comes before the transaction.
  const row = deposit && !isForeign ? await rowOf(app, account, movement, deposit) : null;
  return app.db.transaction().execute(async (tx) => {
    const observation = isForeign
      ? await recordForeign(tx, account, movement, cause, app.clock.now())
      : await apply(tx, account, row);
    await alongside?.(tx, observation);
    return observation;
  });
}

async function apply(tx: Db, { userId }: Account, row: Row | null): Promise<'applied' | 'nothing_new'> {
  if (row !== null && !(await insertOnce(tx, row))) return 'nothing_new';
  await invalidateBalance(tx, userId);
  return row === null ? 'nothing_new' : 'applied';
}

const findAccount = (db: Db, ref: string) =>
  db
    .selectFrom('provider_accounts as account')
    .innerJoin('users', 'users.id', 'account.user_id')
    .select([
      'account.id',
      'account.user_id as userId',
      'account.state',
      'account.currency',
      'users.home_currency as home',
    ])
    .where('account.provider_account_id', '=', ref)
    .executeTakeFirst();

async function rowOf(app: Services, { userId }: Account, movement: Movement, deposit: Deposit) {
  const id = newId();
  const now = app.clock.now();
  const { sourceReference = null } = deposit;
  return {
    id,
    user_id: userId,
    type: 'deposit' as const,
    status: 'completed' as const,
    source_currency: deposit.currency,
    source_amount_minor: deposit.amount,
    source_reference_sealed:
      sourceReference === null
        ? null
        : await app.sealer.seal(encryptionContexts.sourceReference(userId, id), sourceReference),
    provider: app.config.provider.name,
    provider_ref: movement.providerRef,
    created_at: now,
    completed_at: now,
  };
}

/** The movement's id is unique among a provider's, so a deposit is recorded once. */
async function insertOnce(tx: Db, row: Row): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('transactions')
    .values(row)
    .onConflict((conflict) => conflict.columns(['provider', 'provider_ref']).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** Money in a currency that the account does not hold goes into nobody's list: a person finds out what it is. */
async function recordForeign(
  tx: Db,
  { id, userId, currency, state }: Account,
  { providerRef, createdAt, amountMinor, currency: told }: Movement,
  cause: Cause,
  now: Date,
): Promise<'refused'> {
  const handle = handleFor(userId, `account-${currency}`);
  const account = { user_id: userId, subject_kind: 'provider_account', subject_id: id, handle } as const;
  const event = { type: 'deposit.received', amountMinor, currency: told };
  const snapshot = { providerRef, updatedAt: createdAt };
  await recordDiscrepancy(tx, account, notAsOrdered(event, state, ['currency'], snapshot), cause, now);
  return 'refused';
}
