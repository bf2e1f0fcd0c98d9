// When the two-hop flow is turned on, everybody who was verified before needs a USDC account, too.
import type { App } from '../app.ts';
import { createTally } from '../batch/counters.ts';
import type { Place } from '../batch/stage.ts';
import { provisionMissing } from '../reconciliation/provision-missing.ts';

/** Orders the missing accounts, page by page. Repeating it, or doing it in several processes, opens no account twice. */
export async function provisionPivots(app: App): Promise<void> {
  if (!app.config.usdcAccountsEnabled) return;
  const tally = createTally();
  for (let place: Place | null = { after: null }; place !== null; )
    place = (await provisionMissing({ app, tally }, place)).next;
}
