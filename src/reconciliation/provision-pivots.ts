// When the two-hop flow is turned on, everybody who was verified before needs a USDC account, too.
import type { App } from '../app.ts';
import { createCounters } from '../batch/counters.ts';
import type { PagePosition } from '../batch/stage.ts';
import { provisionMissing } from './provision-missing.ts';

/** Orders the missing accounts, page by page. Repeating it, or doing it in several processes, opens no account twice. */
export async function provisionPivots(app: App): Promise<void> {
  if (!app.config.usdcAccountsEnabled) return;
  const counters = createCounters();
  for (let place: PagePosition | null = { after: null }; place !== null; )
    place = (await provisionMissing({ app, counters }, place)).next;
}
