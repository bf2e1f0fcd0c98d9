// Opens the sealed values that operators may read: the provider's reason for a failure, the payer's reference, and masked accounts.

import { encryptionContexts } from '../src/security/encryption-contexts.ts';
import type { EncryptionContext } from '../src/security/envelope.ts';
import type { Sealer } from '../src/security/sealer.ts';
import type { Entity } from '../src/tables/rows.ts';
import { oneLine } from './format.ts';

/** `open` is null for support, who see that there is a value, and not the value. */
type Opener = { open: Sealer['open'] | null };

type SealedReason = Pick<Entity<'ProviderResource'>, 'userId' | 'handle' | 'reasonSealed' | 'reasonSealedAt'>;

export const providerReason = async (
  sealer: Opener,
  { userId, handle, reasonSealed, reasonSealedAt }: SealedReason,
): Promise<string | null> =>
  reasonSealed &&
  openedLine(sealer, encryptionContexts.providerReason(userId, handle, reasonSealedAt), reasonSealed);

/**
 * Opens a sealed value. Returns a note instead if its data key was destroyed, or for support, so that the rest of the row can still be
 * shown.
 * @param show returns what is shown of the value.
 */
export const openedLine = async (
  { open }: Opener,
  place: EncryptionContext,
  sealed: Uint8Array,
  show: (text: string) => string = oneLine,
): Promise<string> =>
  open === null ? '(sealed)' : open(place, sealed).then(show, () => '(can no longer be opened)');
