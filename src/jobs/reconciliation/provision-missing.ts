// Opens the accounts that a verified user should have but lacks. The verification and the choice of the home currency already
// provision accounts, so this finds lost effects, and users without a USDC account after the two-hop flow was enabled.

import { NIL_UUID } from '../../domain/ids.ts';
import { enqueueEffect } from '../../outbox/enqueue.ts';
import { transaction } from '../../outbox/hand-off.ts';
import { listVerifiedWithoutAccounts } from '../../platform/sql/kyc-verifications.ts';
import { count } from '../counters.ts';
import { nextAfter, type PagePosition, type PageResult, type StageContext } from '../stage.ts';

const PAGE_SIZE = 500;

export async function provisionMissing(
  {
    db,
    outbox,
    clock,
    config,
    counters,
  }: Pick<StageContext, 'db' | 'outbox' | 'clock' | 'counters'> & {
    config: { usdcAccountsEnabled: boolean };
  },
  { after }: PagePosition,
): Promise<PageResult> {
  const { usdcAccountsEnabled } = config;
  const users = await listVerifiedWithoutAccounts(db, {
    usdcAccountsEnabled,
    accounts: usdcAccountsEnabled ? 3 : 2,
    after: after ?? NIL_UUID,
    limit: PAGE_SIZE,
  });
  for (const { id, seq } of users)
    await transaction({ db, outbox }, (tx) =>
      enqueueEffect(tx, {
        subject: { kind: 'kyc', id, userId: id, seq },
        effect: { type: 'provisionAccounts' },
        resource: null,
        now: clock.now(),
      }),
    );
  count(counters, 'users provisioned', users.length);
  return { next: nextAfter(users, PAGE_SIZE, ({ id }) => id) };
}
