// Opens the accounts that a verified user should have but lacks. The verification and the choice of the home currency already
// provision accounts, so this finds lost effects, and users without a USDC account after the two-hop flow was enabled.

import { NIL_UUID } from '../../domain/ids.ts';
import { enqueueEffect } from '../../outbox/enqueue.ts';
import { transaction } from '../../outbox/hand-off.ts';
import { listVerifiedWithoutAccounts } from '../../tables/kyc-verifications/statements.ts';
import { type Counters, count, createCounters } from '../counters.ts';
import { nextAfter, type PagePosition, type PageResult, type StageContext } from '../stage.ts';

const PAGE_SIZE = 500;

type Services = Pick<StageContext, 'db' | 'outbox' | 'clock'> & { config: { usdcAccountsEnabled: boolean } };

export async function provisionMissing(
  { db, outbox, clock, config, counters }: Services & { counters: Counters },
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

/**
 * Opens USDC accounts for the users who were verified before the two-hop flow was enabled. It enqueues the missing accounts page by
 * page, and may be repeated, or run in several processes: no account is opened twice.
 */
export async function provisionUsdcAccounts(services: Services): Promise<void> {
  if (!services.config.usdcAccountsEnabled) return;
  const counters = createCounters();
  for (let place: PagePosition | null = { after: null }; place !== null; )
    place = (await provisionMissing({ ...services, counters }, place)).next;
}
