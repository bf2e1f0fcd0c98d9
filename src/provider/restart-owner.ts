// Begins the next attempt of a failed verification, which a provider may refuse or not support.
import { OutcomeUnknown, ProviderRefusal } from './errors.ts';
import { unlessUnknown } from './fetch.ts';
import type { OwnerSnapshot, Provider } from './port.ts';

export type NextAttempt = { providerRef: string; handle: string; attempt: number };

/**
 * Begins an attempt. Repeating the call returns the owner as it is.
 * @returns `rejected` if the provider refuses the attempt in the owner's present state; `unsupported` if it has no restarts.
 * @throws OutcomeUnknown if the attempt may have begun.
 */
export async function restartOwner(
  provider: Provider,
  next: NextAttempt,
): Promise<OwnerSnapshot | 'rejected' | 'unsupported'> {
  try {
    return await provider.restartOwner(next);
  } catch (error) {
    if (error instanceof ProviderRefusal && error.code === 'rejected') return 'rejected';
    if (error instanceof ProviderRefusal)
      throw new OutcomeUnknown('restartOwner', `refused with ${error.code}`, { cause: error });
    if (await isUnsupported(provider, next, error)) return 'unsupported';
    throw error;
  }
}

/** Returns whether the answer means that the provider has no restarts. A 404 can also mean that it does not know the owner. */
async function isUnsupported(
  provider: Provider,
  { providerRef }: NextAttempt,
  error: unknown,
): Promise<boolean> {
  if (!(error instanceof OutcomeUnknown)) return false;
  if (error.status === 405 || error.status === 501) return true;
  return error.status === 404 && (await unlessUnknown(() => provider.getOwner(providerRef))) !== null;
}
