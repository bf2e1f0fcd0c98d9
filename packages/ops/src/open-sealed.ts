// Opens the sealed values that operators may read: the provider's reason for a failure, and the payer's reference.

import { encryptionContexts } from '../../../src/platform/security/encryption-contexts.ts';
import type { EncryptionContext } from '../../../src/platform/security/envelope.ts';
import type { Sealer } from '../../../src/platform/security/sealer.ts';
import { oneLine } from './format.ts';

type SealedReason = {
  userId: string;
  handle: string;
  reasonSealed: Uint8Array | null;
  reasonSealedAt: Date | null;
};

export async function providerReason(sealer: Sealer, reason: SealedReason): Promise<string | null> {
  if (reason.reasonSealed === null) return null;
  return openedLine(
    sealer,
    encryptionContexts.providerReason(reason.userId, reason.handle, reason.reasonSealedAt),
    reason.reasonSealed,
  );
}

/** Opens a sealed value. If its data key was destroyed, returns a note instead, so that the rest of the row can still be shown. */
export const openedLine = (sealer: Sealer, place: EncryptionContext, sealed: Uint8Array): Promise<string> =>
  sealer.open(place, sealed).then(oneLine, () => '(can no longer be opened)');
