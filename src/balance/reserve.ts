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

/** Pauses between the reads of a balance that an earlier debit may or may not have left. They add up to 6.5 seconds. */
const PAUSES_MS = [100, 300, 800, 1_800, 3_500];

/** What is decided under the lock. `replay` comes first: an answer given before needs no money now. */
export type Decision<Result> = {
  replay: (tx: Db) => Promise<Result | null>;
  /** @param now read under the lock, by the database's clock. */
  commit: (tx: Db, now: Date) => Promise<Result>;
};

/**
 * @param user as read when the request began: what is known of the balance cannot be older than its version.
 * @param amountMinor what is to be reserved, in minor units of the home currency.
 * @throws Refusal `insufficient_funds`; `balance_unconfirmed` while it is not known whether an earlier debit has left the
 *   balance; or the refusal that the decision throws.
 * @throws OutcomeUnknown when the balance cannot be read: nothing is reserved.
 */
export async function reserve<Result>(
  app: App,
  { id: userId, balance_version: firstVersion }: Pick<UserRow, 'id' | 'balance_version'>,
  { amountMinor, homeAccountRef }: { amountMinor: number; homeAccountRef: string },
  decision: Decision<Result>,
): Promise<Result> {
  for (let reads = 0; ; reads += 1) {
    const version = reads === 0 ? firstVersion : await balanceVersion(app.db, userId);
    const { balanceMinor } = await app.provider.getAccount(homeAccountRef);
    const outcome = await groupedTransaction(app, userId, async (tx) => {
      // Sent together, in this order: what comes behind the lock sees what was committed while it was waited for.
      const [, replayed, reserved] = await Promise.all([
        lockUser(tx, userId),
        decision.replay(tx),
        reservedSince(tx, userId, version),
      ]);
      if (replayed !== null) return { result: replayed };
      if (balanceMinor - reserved.totalMinor >= amountMinor)
        return { result: await decision.commit(tx, reserved.now) };
      return balanceMinor - reserved.unsentMinor < amountMinor ? 'short' : 'tight';
    });
    if (outcome === 'short') throw new Refusal('insufficient_funds');
    if (outcome !== 'tight') return outcome.result;
    // An earlier debit may have left the balance already. The next read shows it.
    const pauseMs = PAUSES_MS[reads];
    if (pauseMs === undefined) throw new Refusal('balance_unconfirmed');
    await pause(pauseMs);
  }
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

type Reserved = {
  /** Money that a balance read at `version` may still include, although it is promised: in minor units. */
  totalMinor: number;
  /** The part of it whose debit was never sent, so the balance certainly includes it. */
  unsentMinor: number;
  /** When it was read, under the user's lock, by the database's clock. */
  now: Date;
};

/**
 * Sums the debits that were accepted here and are not known at the provider, and those that became known since the balance was
 * read at `version`.
 */
async function reservedSince(tx: Db, userId: string, version: number): Promise<Reserved> {
  const { rows } = await sumReserved(tx, { userId, version });
  const [sum] = rows;
  if (!sum) throw new Error('a sum without a row');
  return { totalMinor: Number(sum.total ?? 0), unsentMinor: Number(sum.unsent ?? 0), now: sum.now };
}

/** A queued effect that no process has leased, and none has tried, was never sent. */
const isUnsent = sql<boolean>`exists (
  select from effects
  where effects.subject_id = resource.subject_id and effects.user_id = resource.user_id
    and effects.status = 'queued' and effects.leased_by is null and effects.attempts = 0
)`;

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
    .select([
      sql<string | null>`sum(coalesce(payment.source_amount_minor, withdraw.amount_minor))`.as('total'),
      sql<
        string | null
      >`sum(coalesce(payment.source_amount_minor, withdraw.amount_minor)) filter (where ${isUnsent})`.as(
        'unsent',
      ),
      sql<Date>`clock_timestamp()`.as('now'),
    ])
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
