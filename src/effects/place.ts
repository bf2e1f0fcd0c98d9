// Creating something at the provider without ever creating it twice: by its handle, looking first when an earlier try
// may have got through, and adopting what is there when the provider says the handle is taken.
import { ProviderRefusal, ProviderUnknown, type RefusalCode } from '../provider/errors.ts';

export type Placed<Snapshot> = { snapshot: Snapshot } | { refusal: RefusalCode };

/**
 * @param attempts how often this was tried before.
 * @throws ProviderUnknown when it cannot be told whether the thing exists.
 */
export async function place<Snapshot>(
  attempts: number,
  { find, create }: { find: () => Promise<Snapshot | null>; create: () => Promise<Snapshot> },
): Promise<Placed<Snapshot>> {
  const existing = attempts > 0 ? await find() : null;
  if (existing) return { snapshot: existing };
  try {
    return { snapshot: await create() };
  } catch (error) {
    if (!(error instanceof ProviderRefusal)) throw error;
    if (error.code !== 'origin_id_conflict') return { refusal: error.code };
    const adopted = await find();
    if (adopted === null)
      throw new ProviderUnknown('place', 'the handle is taken, yet nothing is found under it');
    return { snapshot: adopted };
  }
}
