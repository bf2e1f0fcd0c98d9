// Fetches one of our resources again and applies its snapshot, for polls and for reconciliation.

import type { Cause } from '../lifecycle/lifecycle.ts';
import type { Entity } from '../platform/entities/rows.ts';
import { fetchResource } from '../provider/fetch.ts';
import type { Provider } from '../provider/port.ts';
import { type ApplyResult, type ApplyServices, applyReported } from './apply-reported.ts';
import { hasEverExisted, recordVanished } from './vanished.ts';

/**
 * Fetches a resource and applies its snapshot.
 * @returns `absent` if the provider does not know the resource and never did; `vanished` if it did before.
 * @throws OutcomeUnknown if there is no usable answer.
 */
export async function refetch(
  services: ApplyServices & { provider: Provider },
  resource: Entity<'ProviderResource'>,
  cause: Cause,
): Promise<ApplyResult | 'absent' | 'vanished'> {
  const snapshot = await fetchResource(services.provider, resource);
  if (snapshot) return applyReported(services, snapshot, cause);
  if (!hasEverExisted(resource)) return 'absent';
  await recordVanished(services, resource, cause);
  return 'vanished';
}
