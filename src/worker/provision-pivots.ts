// When the two-hop flow is turned on, everybody who was verified before needs a USDC account, too.
import type { App } from '../app.ts';
import { orderEffect } from '../effects/order.ts';

const AT_ONCE = 500;

/** Orders the missing accounts, page by page. Repeating it, or doing it in several processes, orders no account twice. */
export async function provisionPivots(app: App): Promise<void> {
  if (!app.config.usdcAccountsEnabled) return;
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const users = await verifiedWithoutPivot(app, after);
    for (const { id, seq } of users)
      await app.db.transaction().execute((tx) =>
        orderEffect(tx, {
          subject: { kind: 'kyc', id, userId: id, seq },
          effect: { type: 'provisionAccounts' },
          resource: null,
          now: app.clock.now(),
        }),
      );
    const last = users.at(-1);
    if (users.length < AT_ONCE || last === undefined) return;
    after = last.id;
  }
}

/** A verification has its user's id. */
const verifiedWithoutPivot = (app: App, after: string): Promise<{ id: string; seq: number }[]> =>
  app.db
    .selectFrom('kyc_verifications as kyc')
    .select(['kyc.id', 'kyc.seq'])
    .where('kyc.state', '=', 'completed')
    .where('kyc.id', '>', after)
    .where((is) =>
      is.not(
        is.exists(
          is
            .selectFrom('provider_accounts as account')
            .select('account.id')
            .whereRef('account.user_id', '=', 'kyc.user_id')
            .where('account.currency', '=', 'USDC'),
        ),
      ),
    )
    .orderBy('kyc.id')
    .limit(AT_ONCE)
    .execute();
