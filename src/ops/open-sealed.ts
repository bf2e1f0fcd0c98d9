// Sealed values that operators may read: the reason that the provider gave for a failure, the payer's reference.
import type { App } from '../app.ts';
import { encryptionContexts } from '../sealing/encryption-contexts.ts';
import type { EncryptionContext } from '../sealing/envelope.ts';
import { oneLine } from './format.ts';

type SealedReason = {
  userId: string;
  handle: string;
  reasonSealed: Uint8Array | null;
  reasonSealedAt: Date | null;
};

export async function providerReason(app: App, reason: SealedReason): Promise<string | null> {
  if (reason.reasonSealed === null) return null;
  return openedLine(
    app,
    encryptionContexts.providerReason(reason.userId, reason.handle, reason.reasonSealedAt),
    reason.reasonSealed,
  );
}

/** Where the data key was destroyed, the rest of the row must still be shown. */
export const openedLine = (app: App, place: EncryptionContext, sealed: Uint8Array): Promise<string> =>
  app.sealer.open(place, sealed).then(oneLine, () => '(can no longer be opened)');
