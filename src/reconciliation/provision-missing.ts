// Opens accounts that a verified user should have and has not: both the verification and the home currency order them,
// so this is for lost effects, and for the day on which the two-hop flow is turned on.

import { count } from '../batch/counters.ts';
import { nextAfter, type PagePosition, type PageResult, type StageContext } from '../batch/stage.ts';
import { NIL_UUID } from '../domain/ids.ts';
import { enqueueEffect } from '../outbox/enqueue.ts';
import { transaction } from '../outbox/hand-off.ts';
import { listVerifiedWithoutAccounts } from '../sql/kyc-verifications.ts';

const PAGE_SIZE = 500;

export async function provisionMissing(
  { app, counters }: Pick<StageContext, 'app' | 'counters'>,
  { after }: PagePosition,
): Promise<PageResult> {
  const { usdcAccountsEnabled } = app.config;
  const users = await listVerifiedWithoutAccounts(app.db, {
    usdcAccountsEnabled,
    accounts: usdcAccountsEnabled ? 3 : 2,
    after: after ?? NIL_UUID,
    limit: PAGE_SIZE,
  });
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
