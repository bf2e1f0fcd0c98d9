// Looks up the owner of a PIX key. A provider may not have look-ups. Another answer that is of no use changes nothing, because a look-up
// is not needed for a payment.
import type { PixKeyType } from '../domain/pix-key.ts';
import { OutcomeUnknown, ProviderRefusal, saysAbsent } from './errors.ts';
import type { PixKeyOwner, Provider } from './port.ts';

export type KeyToLookUp = { ownerRef: string; pixKey: string; pixKeyType: PixKeyType };

export type LookedUp =
  | { outcome: 'found'; owner: PixKeyOwner }
  /** The key leads to no account. */
  | { outcome: 'unknown' }
  | { outcome: 'unavailable'; cause: unknown }
  /** The provider has no look-ups. */
  | { outcome: 'unsupported' };

/** Looks a key up. It does not throw for an answer of the provider. */
export async function lookUpPixKey(provider: Provider, key: KeyToLookUp): Promise<LookedUp> {
  try {
    const owner = await provider.lookUpPixKey(key);
    return owner === null ? { outcome: 'unknown' } : { outcome: 'found', owner };
  } catch (cause) {
    if (cause instanceof OutcomeUnknown && saysAbsent(cause)) return { outcome: 'unsupported' };
    if (cause instanceof OutcomeUnknown || cause instanceof ProviderRefusal)
      return { outcome: 'unavailable', cause };
    throw cause;
  }
}
