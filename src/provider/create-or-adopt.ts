// Creates a resource at the provider at most once. If the provider reports that the handle is taken, the existing resource is
// adopted. A caller whose earlier attempt may have succeeded looks up the handle first.
import { OutcomeUnknown, ProviderRefusal, type RefusalCode } from './errors.ts';

/** `reason` is the provider's name of the reason. Null if it names none. */
export type CreatedOrRefused<Snapshot> =
  | { snapshot: Snapshot }
  | { refusal: RefusalCode; reason: string | null };

/**
 * Creates a resource, or adopts the one that exists under its handle.
 * @throws OutcomeUnknown if it is not certain whether the resource exists.
 */
export async function createOrAdopt<Snapshot>({
  find,
  create,
}: {
  find: () => Promise<Snapshot | null>;
  create: () => Promise<Snapshot>;
}): Promise<CreatedOrRefused<Snapshot>> {
  try {
    return { snapshot: await create() };
  } catch (error) {
    if (!(error instanceof ProviderRefusal)) throw error;
    if (error.code !== 'origin_id_conflict') return { refusal: error.code, reason: error.reason };
    const adopted = await find();
    if (adopted === null)
      throw new OutcomeUnknown('create', 'the handle is taken, but nothing is found under it');
    return { snapshot: adopted };
  }
}
