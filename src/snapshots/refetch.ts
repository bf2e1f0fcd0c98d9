// Fetches one resource of ours again and applies what it says, for polls and for reconciliation.
import type { App } from '../app.ts';
import type { Entity } from '../entities/rows.ts';
import type { Cause } from '../lifecycle/lifecycle.ts';
import { fetchResource } from '../provider/fetch.ts';
import { type ApplyResult, applyReported } from './apply-reported.ts';
import { hasEverExisted, recordVanished } from './vanished.ts';

/**
 * @returns `absent` when nothing of it has been made yet, as far as the provider knows; `vanished` when it had been.
 * @throws OutcomeUnknown when there is no usable answer.
 */
export async function refetch(
  app: App,
  resource: Entity<'ProviderResource'>,
  cause: Cause,
): Promise<ApplyResult | 'absent' | 'vanished'> {
  const snapshot = await fetchResource(app.provider, resource);
  if (snapshot) return applyReported(app, snapshot, cause);
  if (!hasEverExisted(resource)) return 'absent';
  await recordVanished(app, resource, cause);
  return 'vanished';
}
