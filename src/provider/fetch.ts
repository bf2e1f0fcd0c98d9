// Fetches a resource of any kind: by the provider's id if it is known, otherwise by our handle.
import { OutcomeUnknown } from './errors.ts';
import type { LookupResult, Provider, Snapshot } from './port.ts';

/** A contestation is fetched with its payout (reports/contestations.ts). */
type Kind = Exclude<Snapshot['kind'], 'contestation'>;

/** The functions of the port that read a resource of each kind, by the provider's id and by our handle. */
const reads = {
  owner: { get: 'getOwner', find: 'findOwner' },
  account: { get: 'getAccount', find: 'findAccount' },
  transfer: { get: 'getTransfer', find: 'findTransfer' },
  payout: { get: 'getPayout', find: 'findPayout' },
} as const satisfies Record<Kind, Record<'get' | 'find', keyof Provider>>;

/**
 * Fetches a resource by the provider's id.
 * @throws OutcomeUnknown if there is no usable answer. A 404 also counts as that.
 */
export const fetchByRef = (provider: Provider, kind: Kind, ref: string): Promise<Snapshot> =>
  provider[reads[kind].get](ref);

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
  const snapshot = ref === null ? null : await unlessUnknown(() => fetchByRef(provider, kind, ref));
  return snapshot ?? provider[reads[kind].find](handle);
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
