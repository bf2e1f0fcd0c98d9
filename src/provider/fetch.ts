// Fetches a resource of any kind: by the provider's id where we know it, else by our own handle.
import { OutcomeUnknown } from './errors.ts';
import type { Found, Provider, Snapshot } from './port.ts';

type Kind = Snapshot['kind'];

const byRef: Record<Kind, (provider: Provider, ref: string) => Promise<Snapshot>> = {
  owner: (provider, ref) => provider.getOwner(ref),
  account: (provider, ref) => provider.getAccount(ref),
  transfer: (provider, ref) => provider.getTransfer(ref),
  payout: (provider, ref) => provider.getPayout(ref),
};

const byHandle: Record<Kind, (provider: Provider, handle: string) => Promise<Found<Snapshot> | null>> = {
  owner: (provider, handle) => provider.findOwner(handle),
  account: (provider, handle) => provider.findAccount(handle),
  transfer: (provider, handle) => provider.findTransfer(handle),
  payout: (provider, handle) => provider.findPayout(handle),
};

/** @throws OutcomeUnknown when there is no usable answer, a 404 included. */
export const fetchByRef = (provider: Provider, kind: Kind, ref: string): Promise<Snapshot> =>
  byRef[kind](provider, ref);

/**
 * @returns the resource as it is at the provider now; one not found under its uuid is looked up by its handle, which may
 *   find another one. Null when nothing exists there under its handle either.
 */
export async function fetchResource(
  provider: Provider,
  { kind, handle, providerRef: ref }: { kind: Kind; handle: string; providerRef: string | null },
): Promise<Found<Snapshot> | null> {
  const snapshot = ref === null ? null : await unlessUnknown(() => byRef[kind](provider, ref));
  return snapshot ?? byHandle[kind](provider, handle);
}

/** @returns null when the provider does not know it. */
export async function unlessUnknown<Reply>(find: () => Promise<Reply>): Promise<Reply | null> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof OutcomeUnknown && error.status === 404) return null;
    throw error;
  }
}
