// Looks up by its handle what an earlier attempt may have created, before anything is sent again.

import { OutcomeUnknown } from '../provider/errors.ts';
import { fetchResource } from '../provider/fetch.ts';
import type { CalledBack, LookupResult, Snapshot } from '../provider/port.ts';
import { applyReported } from '../reports/apply-reported.ts';
import { followedOf, subjectHasUnresolvedTwin } from '../reports/twins.ts';
import { hasEverExisted, recordVanished } from '../reports/vanished.ts';
import type { Db } from '../tables/orm.ts';
import { findResource } from '../tables/provider-resources/statements.ts';
import type { Entity } from '../tables/rows.ts';
import { causeOf, type EffectServices, type RunningEffect } from './effect.ts';

export type LookedUp<One extends Snapshot> = {
  /** The existing object. If the provider has several under the handle, the one that we follow. */
  existing: One | null;
  /**
   * A time just before the look-up, by the database's clock. The look-up finds every request that was executed before it. Null if
   * there was no earlier attempt to look up.
   */
  lookedUpAt: Date | null;
};

/**
 * Looks up a handle, unless this is the first attempt. Records twins and vanished objects as discrepancies.
 * @param isFirstTry whether nothing can have been sent under the handle before.
 * @throws OutcomeUnknown if an object that existed is no longer found, because creating it again could make a second one; or if
 *   only a twin of it is found.
 */
export async function lookUp<One extends Snapshot>(
  services: EffectServices,
  effect: RunningEffect,
  handle: string,
  find: () => Promise<LookupResult<One> | null>,
  isFirstTry = effect.attempts === 0,
): Promise<LookedUp<One>> {
  if (isFirstTry) return { existing: null, lookedUpAt: null };
  const lookedUpAt = effect.readAt;
  const underHandle = await find();
  const resource = await findResource(services.db, { handle, userId: effect.userId });
  const hasExisted = resource !== undefined && hasEverExisted(resource);
  const found = underHandle ?? (hasExisted ? await fetchExisting<One>(services, effect, resource) : null);
  if (found === null || resource === undefined) return { existing: found, lookedUpAt };
  const { followed, others } = followedOf(resource, found);
  // Record twins before acting on the object that we follow.
  if (others.length > 0) await applyReported(services, found, causeOf(effect));
  if (followed === null) throw unknown(effect, 'only a twin of our object is found under the handle');
  return { existing: followed, lookedUpAt };
}

/**
 * Asserts that the effect's payment or withdrawal has no unresolved twin.
 * @throws OutcomeUnknown while an operator has to choose between two objects of it.
 */
export async function assertNoTwin(db: Db, effect: Entity<'Effect'>): Promise<void> {
  if (await subjectHasUnresolvedTwin(db, { id: effect.subjectId, userId: effect.userId }))
    throw unknown(effect, 'a twin at the provider is unresolved');
}

/** Fetches an object by the provider's id: a look-up by its handle may lag behind the callback that named it. */
async function fetchExisting<One extends Snapshot>(
  services: EffectServices,
  effect: Entity<'Effect'>,
  resource: Entity<'ProviderResource'>,
): Promise<LookupResult<One>> {
  const kind = resource.kind as CalledBack;
  const found = await fetchResource(services.provider, { ...resource, kind });
  if (found !== null) return found as LookupResult<One>;
  await recordVanished(services, resource, causeOf(effect));
  throw unknown(effect, 'the object that existed under the handle is no longer found');
}

const unknown = ({ type }: Entity<'Effect'>, what: string) =>
  new OutcomeUnknown(type, what, { mayHaveActed: false });
