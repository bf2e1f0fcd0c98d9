// What an earlier try may have made is looked up by its handle, before anything is sent again.
import type { App } from '../app.ts';
import { ProviderUnknown } from '../provider/errors.ts';
import type { EffectRow } from './effect.ts';

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
  { type, attempts }: Pick<EffectRow, 'type' | 'attempts'>,
  handle: string,
  find: () => Promise<Snapshot | null>,
  isFirstTry = attempts === 0,
): Promise<LookedUp<Snapshot>> {
  if (isFirstTry) return { existing: null, lookedUpAt: null };
  const lookedUpAt = app.clock.now();
  const existing = await find();
  if (existing === null && (await hasEverExisted(app, handle)))
    throw new ProviderUnknown(type, 'what existed under the handle is not found any more', {
      mayHaveActed: false,
    });
  return { existing, lookedUpAt };
}

async function hasEverExisted({ db }: App, handle: string): Promise<boolean> {
  const resource = await db
    .selectFrom('provider_resources')
    .select('provider_ref')
    .where('handle', '=', handle)
    .executeTakeFirst();
  return typeof resource?.provider_ref === 'string';
}
