// Promising money once: reads the balance at the provider, then decides under the user's row lock, where nobody else
// can promise the same money. The network is asked outside the lock; if money moved meanwhile, it is asked again.
import { setTimeout as pause } from 'node:timers/promises';
import { Refusal } from '../api/errors.ts';
import type { UserRow } from '../api/operation.ts';
import type { App } from '../app.ts';
import type { Db } from '../database/orm.ts';

const MOST_READS = 20;
const PAUSE_MS = 50;

/** What is decided under the lock. `replay` comes first: an answer given before needs no money now. */
export type Decision<Result> = {
  replay: (tx: Db, user: UserRow) => Promise<Result | null>;
  commit: (tx: Db, user: UserRow) => Promise<Result>;
};

/**
 * @param amountMinor what is to be promised, in minor units of the home currency.
 * @throws Refusal `insufficient_funds`, `unavailable` when money keeps moving, or what the decision throws.
 * @throws ProviderUnknown when the balance cannot be read: nothing is promised.
 */
export async function reserve<Result>(
  app: App,
  userId: string,
  { amountMinor, homeAccountRef }: { amountMinor: number; homeAccountRef: string },
  decision: Decision<Result>,
): Promise<Result> {
  let last: 'moved' | 'promised' = 'moved';
  for (let reads = 1; reads <= MOST_READS; reads += 1) {
    const version = await balanceVersion(app.db, userId);
    const { balanceMinor } = await app.provider.getAccount(homeAccountRef);
    const outcome = await app.db.transaction().execute(async (tx) => {
      const user = await lockUser(tx, userId);
      const replayed = await decision.replay(tx, user);
      if (replayed !== null) return { result: replayed };
      if (user.balance_version !== version) return 'moved';
      const promisedMinor = await promisedHere(tx, userId);
      if (balanceMinor - promisedMinor >= amountMinor) return { result: await decision.commit(tx, user) };
      // What is promised here may have been debited there already, which the next read will tell.
      return promisedMinor === 0 || balanceMinor < amountMinor ? 'short' : 'promised';
    });
    if (outcome === 'short') throw new Refusal('insufficient_funds');
    if (typeof outcome === 'object') return outcome.result;
    last = outcome;
    await pause(PAUSE_MS);
  }
  // Never having seen the balance stand still says nothing about there being too little.
  throw new Refusal(last === 'moved' ? 'unavailable' : 'insufficient_funds');
}

/** Locks the user's row for the rest of the transaction; everything that promises money starts here. */
export async function lockUser(tx: Db, userId: string): Promise<UserRow> {
  const user = await tx
    .selectFrom('users')
    .selectAll()
    .where('id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  if (user.closed_at !== null) throw new Refusal('account_closed');
  return user;
}

const balanceVersion = async (db: Db, userId: string): Promise<number> =>
  (await db.selectFrom('users').select('balance_version').where('id', '=', userId).executeTakeFirstOrThrow())
    .balance_version;

/** What we have accepted and the provider is not yet known to have debited, in minor units. */
async function promisedHere(tx: Db, userId: string): Promise<number> {
  const { payments, withdraws } = await tx
    .selectNoFrom((select) => [
      select
        .selectFrom('pix_payments as payment')
        .innerJoin('provider_resources as resource', (join) =>
          join
            .onRef('resource.subject_id', '=', 'payment.id')
            .on('resource.kind', '=', 'transfer')
            .on('resource.provider_ref', 'is', null),
        )
        .select((of) => of.fn.coalesce(of.fn.sum<number>('payment.source_amount_minor'), of.lit(0)).as('sum'))
        .where('payment.user_id', '=', userId)
        .where('payment.state', 'in', ['converting.direct', 'converting.leg1'])
        .as('payments'),
      select
        .selectFrom('withdraws as withdraw')
        .innerJoin('provider_resources as resource', (join) =>
          join.onRef('resource.subject_id', '=', 'withdraw.id').on('resource.provider_ref', 'is', null),
        )
        .select((of) => of.fn.coalesce(of.fn.sum<number>('withdraw.amount_minor'), of.lit(0)).as('sum'))
        .where('withdraw.user_id', '=', userId)
        .where('withdraw.state', '=', 'settling')
        .as('withdraws'),
    ])
    .executeTakeFirstOrThrow();
  return Number(payments) + Number(withdraws);
}
