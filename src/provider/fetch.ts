// Fetches a resource of any kind: by the provider's id if it is known, otherwise by our handle.
import { OutcomeUnknown } from './errors.ts';
import type { LookupResult, Provider, Snapshot } from './port.ts';

type Kind = Snapshot['kind'];

const byRef: Record<Kind, (provider: Provider, ref: string) => Promise<Snapshot>> = {
  owner: (provider, ref) => provider.getOwner(ref),
  account: (provider, ref) => provider.getAccount(ref),
  transfer: (provider, ref) => provider.getTransfer(ref),
  payout: (provider, ref) => provider.getPayout(ref),
};

const byHandle: Record<Kind, (provider: Provider, handle: string) => Promise<LookupResult<Snapshot> | null>> =
  {
    owner: (provider, handle) => provider.findOwner(handle),
    account: (provider, handle) => provider.findAccount(handle),
    transfer: (provider, handle) => provider.findTransfer(handle),
    payout: (provider, handle) => provider.findPayout(handle),
  };

/**
 * Fetches a resource by the provider's id.
 * @throws OutcomeUnknown if there is no usable answer. A 404 also counts as that.
 */
export const fetchByRef = (provider: Provider, kind: Kind, ref: string): Promise<Snapshot> =>
  byRef[kind](provider, ref);

/**
 * Fetches the current state of a resource. If the provider does not know its uuid, the resource is looked up by its handle, which may
 * find another object.
 * @returns null if nothing is found under the handle either.
 * @throws OutcomeUnknown if there is no usable answer.
 */
export async function fetchResource(
  provider: Provider,
  { kind, handle, providerRef: ref }: { kind: Kind; handle: string; providerRef: string | null },
): Promise<LookupResult<Snapshot> | null> {
  const snapshot = ref === null ? null : await unlessUnknown(() => byRef[kind](provider, ref));
  return snapshot ?? byHandle[kind](provider, handle);
}

/** Returns the result of `find`, or null if the provider answers 404. */
export async function unlessUnknown<Reply>(find: () => Promise<Reply>): Promise<Reply | null> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof OutcomeUnknown && error.status === 404) return null;
    throw error;
  }
}
