// Opens USDC accounts for the users who were verified before the two-hop flow was enabled.

import type { Clock } from '../../domain/clock.ts';
import type { Committing } from '../../outbox/hand-off.ts';
import { createCounters } from '../counters.ts';
import type { PagePosition } from '../stage.ts';
import { provisionMissing } from './provision-missing.ts';

/** Enqueues the missing accounts, page by page. It may be repeated, or run in several processes: no account is opened twice. */
export async function provisionUsdcAccounts(
  services: Committing & { clock: Clock; config: { usdcAccountsEnabled: boolean } },
): Promise<void> {
  if (!services.config.usdcAccountsEnabled) return;
  const counters = createCounters();
  for (let place: PagePosition | null = { after: null }; place !== null; )
    place = (await provisionMissing({ ...services, counters }, place)).next;
}
