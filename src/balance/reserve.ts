// Reserving money once: reads the balance at the provider, then decides under the user's row lock, where no other request
// can reserve the same money. The provider is called outside the lock; debits that became known meanwhile are counted.
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { fundsReserved } from '../../machines/states.ts';
import type { App } from '../app.ts';
import type { Db } from '../database/orm.ts';
import { columnStatement } from '../database/statement.ts';
import { Refusal } from '../domain/refusals.ts';
import type { UserRow } from '../entities/rows.ts';
import { groupedTransaction } from '../outbox/transaction.ts';

const MOST_READS = 20;
const PAUSE_MS = 50;

/** What is decided under the lock. `replay` comes first: an answer given before needs no money now. */
export type Decision<Result> = {
  replay: (tx: Db) => Promise<Result | null>;
  commit: (tx: Db, user: UserRow) => Promise<Result>;
};

/**
 * @param user as read when the request began: what is known of the balance cannot be older than its version.
 * @param amountMinor what is to be reserved, in minor units of the home currency.
 * @throws Refusal `insufficient_funds`; `balance_unconfirmed` while it depends on an earlier debit, of which it is not known
 *   whether it has left the balance; or what the decision throws.
 * @throws OutcomeUnknown when the balance cannot be read: nothing is reserved.
 */
export async function reserve<Result>(
  app: App,
  { id: userId, balance_version: firstVersion }: Pick<UserRow, 'id' | 'balance_version'>,
  { amountMinor, homeAccountRef }: { amountMinor: number; homeAccountRef: string },
  decision: Decision<Result>,
): Promise<Result> {
  for (let reads = 1; reads <= MOST_READS; reads += 1) {
    const version = reads === 1 ? firstVersion : await balanceVersion(app.db, userId);
    const { balanceMinor } = await app.provider.getAccount(homeAccountRef);
    const outcome = await groupedTransaction(app, userId, async (tx) => {
      // Sent together, in this order: what comes behind the lock sees what was committed while it was waited for.
      const [user, replayed, reservedMinor] = await Promise.all([
        lockUser(tx, userId),
        decision.replay(tx),
        reservedSince(tx, userId, version),
      ]);
      if (replayed !== null) return { result: replayed };
      if (balanceMinor - reservedMinor >= amountMinor) return { result: await decision.commit(tx, user) };
      return balanceMinor < amountMinor || reservedMinor === 0 ? 'short' : 'tight';
    });
    if (outcome === 'short') throw new Refusal('insufficient_funds');
    if (outcome !== 'tight') return outcome.result;
    // What counts as reserved may have left the balance already: the next read shows it.
    await pause(PAUSE_MS);
  }
  // It depends on the reply to an earlier debit, which is still to come.
  throw new Refusal('balance_unconfirmed');
}

/** Locks the user's row for the rest of the transaction; every reservation starts here. */
export async function lockUser(tx: Db, userId: string): Promise<UserRow> {
  const { rows } = await lock(tx, { userId });
  const [user] = rows;
  if (!user) throw new Error(`the user ${userId} is missing`);
  if (user.closed_at !== null) throw new Refusal('account_closed');
  return user;
}

const lock = columnStatement((db, { userId }: { userId: string }) =>
  db.selectFrom('users').selectAll().where('id', '=', userId).forNoKeyUpdate(),
);

const balanceVersion = async (db: Db, userId: string): Promise<number> =>
  (await db.selectFrom('users').select('balance_version').where('id', '=', userId).executeTakeFirstOrThrow())
    .balance_version;

/**
 * What a balance read at `version` may still hold although it is reserved, in minor units: accepted here and not
 * known to be debited there, or known to be debited only since.
 */
async function reservedSince(tx: Db, userId: string, version: number): Promise<number> {
  const { rows } = await sumReserved(tx, { userId, version });
  return Number(rows[0]?.reserved ?? 0);
}

const sumReserved = columnStatement((db, { userId, version }: { userId: string; version: number }) =>
  db
    .selectFrom('provider_resources as resource')
    .leftJoin('pix_payments as payment', (join) =>
      join.onRef('payment.id', '=', 'resource.subject_id').onRef('payment.user_id', '=', 'resource.user_id'),
    )
    .leftJoin('withdraws as withdraw', (join) =>
      join
        .onRef('withdraw.id', '=', 'resource.subject_id')
        .onRef('withdraw.user_id', '=', 'resource.user_id'),
    )
    .select(
      sql<string | null>`sum(coalesce(payment.source_amount_minor, withdraw.amount_minor))`.as('reserved'),
    )
    .where('resource.user_id', '=', userId)
    .where((is) =>
      is.or([
        is('resource.debited_balance_version', '>', version),
        is.and([
          is('resource.provider_ref', 'is', null),
          is.or([
            is('payment.state', 'in', fundsReserved.pix_payment),
            is('withdraw.state', 'in', fundsReserved.withdraw),
          ]),
        ]),
      ]),
    ),
);
