// Opens accounts that a verified user should have and has not: both the verification and the home currency order them,
// so this is for lost effects, and for the day on which the two-hop flow is turned on.

import { type RawBuilder, sql } from 'kysely';
import type { App } from '../app.ts';
import { count } from '../batch/counters.ts';
import { nextAfter, type PagePosition, type PageResult, type StageContext } from '../batch/stage.ts';
import { NIL_UUID } from '../domain/ids.ts';
import { enqueueEffect } from '../outbox/enqueue.ts';
import { transaction } from '../outbox/transaction.ts';

const PAGE_SIZE = 500;

export async function provisionMissing(
  { app, counters }: Pick<StageContext, 'app' | 'counters'>,
  { after }: PagePosition,
): Promise<PageResult> {
  const users = await verifiedWithout(app, after ?? NIL_UUID);
  for (const { id, seq } of users)
    await transaction(app, (tx) =>
      enqueueEffect(tx, {
        subject: { kind: 'kyc', id, userId: id, seq },
        effect: { type: 'provisionAccounts' },
        resource: null,
        now: app.clock.now(),
      }),
    );
  count(counters, 'users provisioned', users.length);
  return { next: nextAfter(users, PAGE_SIZE, ({ id }) => id) };
}

/** A verification has its user's id. */
const verifiedWithout = (app: App, after: string): Promise<{ id: string; seq: number }[]> =>
  app.db
    .selectFrom('kyc_verifications as kyc')
    .innerJoin('users', 'users.id', 'kyc.user_id')
    .select(['kyc.id', 'kyc.seq'])
    .where('kyc.state', '=', 'completed')
    .where('kyc.id', '>', after)
    .where('users.home_currency', 'is not', null)
    .where(accountsOf(app), '<', app.config.usdcAccountsEnabled ? 3 : 2)
    .where((is) =>
      is.not(
        is.exists(
          is
            .selectFrom('effects')
            .select('effects.id')
            .whereRef('effects.subject_id', '=', 'kyc.id')
            .whereRef('effects.user_id', '=', 'kyc.user_id')
            .where('effects.type', '=', 'provisionAccounts')
            .where('effects.status', 'in', ['queued', 'exhausted']),
        ),
      ),
    )
    .orderBy('kyc.id')
    .limit(PAGE_SIZE)
    .execute();

/** How many of the accounts that the flow needs exist. */
const accountsOf = ({ config }: App): RawBuilder<number> => sql<number>`(
  select count(*) from provider_accounts account
  where account.user_id = kyc.user_id
    and (account.currency in (users.home_currency::text::currency, 'BRL')
      or account.currency = 'USDC' and ${config.usdcAccountsEnabled})
)`;
