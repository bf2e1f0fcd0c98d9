// What an earlier try may have made is looked up by its handle, before anything is sent again.
import type { App } from '../app.ts';
import { hasEverExisted, recordVanished } from '../lifecycle/vanished.ts';
import { ProviderUnknown } from '../provider/errors.ts';
import { causeOf, type EffectRow } from './effect.ts';

export type LookedUp<Snapshot> = {
  existing: Snapshot | null;
  /** When the look-up began: what was carried out before it, it has found. Null: there was no earlier try to look for. */
  lookedUpAt: Date | null;
};

/**
 * @param isFirstTry whether nothing can have been sent under the handle before.
 * @throws ProviderUnknown when what once existed is not found any more: creating it again would make a second one.
 */
export async function lookUp<Snapshot>(
  app: App,
  effect: EffectRow,
  handle: string,
  find: () => Promise<Snapshot | null>,
  isFirstTry = effect.attempts === 0,
): Promise<LookedUp<Snapshot>> {
  if (isFirstTry) return { existing: null, lookedUpAt: null };
  const lookedUpAt = app.clock.now();
  const existing = await find();
  if (existing === null) await assertNeverExisted(app, effect, handle);
  return { existing, lookedUpAt };
}

async function assertNeverExisted(app: App, effect: EffectRow, handle: string): Promise<void> {
  const resource = await app.db
    .selectFrom('provider_resources')
    .select('provider_ref')
    .where('handle', '=', handle)
    .executeTakeFirst();
  if (!resource || !hasEverExisted(resource)) return;
  await recordVanished(app, handle, causeOf(effect));
  throw new ProviderUnknown(effect.type, 'what existed under the handle is not found any more', {
    mayHaveActed: false,
  });
}
