// Looking a resource up again, whatever its kind: by the provider's id where we know it, else by our own handle.
import type { Provider, Snapshot } from './port.ts';

type Kind = Snapshot['kind'];

const byRef: Record<Kind, (provider: Provider, ref: string) => Promise<Snapshot>> = {
  owner: (provider, ref) => provider.getOwner(ref),
  account: (provider, ref) => provider.getAccount(ref),
  transfer: (provider, ref) => provider.getTransfer(ref),
  payout: (provider, ref) => provider.getPayout(ref),
};

const byHandle: Record<Kind, (provider: Provider, handle: string) => Promise<Snapshot | null>> = {
  owner: (provider, handle) => provider.findOwner(handle),
  account: (provider, handle) => provider.findAccount(handle),
  transfer: (provider, handle) => provider.findTransfer(handle),
  payout: (provider, handle) => provider.findPayout(handle),
};

/** @throws ProviderUnknown when there is no usable answer, a 404 included. */
export const fetchByRef = (provider: Provider, kind: Kind, ref: string): Promise<Snapshot> =>
  byRef[kind](provider, ref);

/** @returns the resource as it is at the provider now, or null when nothing exists there under its handle. */
export const fetchResource = (
  provider: Provider,
  { kind, handle, provider_ref: ref }: { kind: Kind; handle: string; provider_ref: string | null },
): Promise<Snapshot | null> => (ref ? byRef[kind](provider, ref) : byHandle[kind](provider, handle));
