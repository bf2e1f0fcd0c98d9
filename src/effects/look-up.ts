// What an earlier try may have made is looked up by its handle, before anything is sent again.
import type { App } from '../app.ts';
import type { Db } from '../database/orm.ts';
import type { Entity } from '../entities/rows.ts';
import { OutcomeUnknown } from '../provider/errors.ts';
import type { Found, Snapshot } from '../provider/port.ts';
import { applyReported } from '../snapshots/apply-reported.ts';
import { followedOf, subjectHasUnresolvedTwin } from '../snapshots/twins.ts';
import { hasEverExisted, recordVanished } from '../snapshots/vanished.ts';
import { findResource } from '../sql/provider-resources.ts';
import { causeOf, type RunningEffect } from './effect.ts';

export type LookedUp<One extends Snapshot> = {
  /** The one that we follow, where the provider has several. */
  existing: One | null;
  /**
   * A moment before the look-up, by the database's clock: the look-up has found what was carried out until then. Null: there was
   * no earlier try to look up.
   */
  lookedUpAt: Date | null;
};

/**
 * @param isFirstTry whether nothing can have been sent under the handle before.
 * @throws OutcomeUnknown when what once existed is not found any more: creating it again would make a second one. So,
 *   too, when only a twin of it is found.
 */
export async function lookUp<One extends Snapshot>(
  app: App,
  effect: RunningEffect,
  handle: string,
  find: () => Promise<Found<One> | null>,
  isFirstTry = effect.attempts === 0,
): Promise<LookedUp<One>> {
  if (isFirstTry) return { existing: null, lookedUpAt: null };
  const lookedUpAt = effect.readAt;
  const found = await find();
  const resource = await findResource(app.db, { handle, userId: effect.userId });
  if (found === null) await assertNeverExisted(app, effect, resource);
  if (found === null || resource === undefined) return { existing: found, lookedUpAt };
  const { followed, others } = followedOf(resource, found);
  // Twins are recorded before anything is done about the one that we follow.
  if (others.length > 0) await applyReported(app, found, causeOf(effect));
  if (followed === null) throw unknown(effect, 'only another object than ours is found under the handle');
  return { existing: followed, lookedUpAt };
}

/** @throws OutcomeUnknown while an operator has to choose between two objects of the effect's payment or withdrawal. */
export async function assertNoTwin(db: Db, effect: Entity<'Effect'>): Promise<void> {
  if (await subjectHasUnresolvedTwin(db, { id: effect.subjectId, userId: effect.userId }))
    throw unknown(effect, 'a twin at the provider is unresolved');
}

async function assertNeverExisted(
  app: App,
  effect: Entity<'Effect'>,
  resource: Entity<'ProviderResource'> | undefined,
): Promise<void> {
  if (!resource || !hasEverExisted(resource)) return;
  await recordVanished(app, resource, causeOf(effect));
  throw unknown(effect, 'what existed under the handle is not found any more');
}

const unknown = ({ type }: Entity<'Effect'>, what: string) =>
  new OutcomeUnknown(type, what, { mayHaveActed: false });
