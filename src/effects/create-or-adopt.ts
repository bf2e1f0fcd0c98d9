// Creating something at the provider without ever creating it twice: under its handle, and adopting what is there when the
// provider says that the handle is taken. A caller whose earlier try may have got through has looked it up before.
import { OutcomeUnknown, ProviderRefusal, type RefusalCode } from '../provider/errors.ts';

export type CreatedOrRefused<Snapshot> = { snapshot: Snapshot } | { refusal: RefusalCode };

/** @throws OutcomeUnknown when it cannot be told whether the thing exists. */
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
    if (error.code !== 'origin_id_conflict') return { refusal: error.code };
    const adopted = await find();
    if (adopted === null)
      throw new OutcomeUnknown('create', 'the handle is taken, yet nothing is found under it');
    return { snapshot: adopted };
  }
}
