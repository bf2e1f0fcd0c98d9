// Opens the sealed values that operators may read: the provider's reason for a failure, the payer's reference, and masked accounts.

import { encryptionContexts } from '../src/security/encryption-contexts.ts';
import type { EncryptionContext } from '../src/security/envelope.ts';
import type { Sealer } from '../src/security/sealer.ts';
import type { Entity } from '../src/tables/rows.ts';
import { oneLine } from './format.ts';

type SealedReason = Pick<Entity<'ProviderResource'>, 'userId' | 'handle' | 'reasonSealed' | 'reasonSealedAt'>;

export const providerReason = async (
  sealer: Sealer,
  { userId, handle, reasonSealed, reasonSealedAt }: SealedReason,
): Promise<string | null> =>
  reasonSealed &&
  openedLine(sealer, encryptionContexts.providerReason(userId, handle, reasonSealedAt), reasonSealed);

/**
 * Opens a sealed value. If its data key was destroyed, returns a note instead, so that the rest of the row can still be shown.
 * @param show returns what is shown of the value.
 */
export const openedLine = (
  sealer: Sealer,
  place: EncryptionContext,
  sealed: Uint8Array,
  show: (text: string) => string = oneLine,
): Promise<string> => sealer.open(place, sealed).then(show, () => '(can no longer be opened)');
