// Sealed values that operators may read: the reason that the provider gave for a failure, the payer's reference.
import type { App } from '../app.ts';
import { encryptionContexts } from '../sealing/encryption-contexts.ts';
import type { EncryptionContext } from '../sealing/envelope.ts';
import { oneLine } from './format.ts';

type SealedReason = {
  user_id: string;
  handle: string;
  reason_sealed: Uint8Array | null;
  reason_sealed_at: Date | null;
};

export async function providerReason(app: App, reason: SealedReason): Promise<string | null> {
  if (reason.reason_sealed === null) return null;
  return openedLine(
    app,
    encryptionContexts.providerReason(reason.user_id, reason.handle, reason.reason_sealed_at),
    reason.reason_sealed,
  );
}

/** Where the data key was destroyed, the rest of the row must still be shown. */
export const openedLine = (app: App, place: EncryptionContext, sealed: Uint8Array): Promise<string> =>
  app.sealer.open(place, sealed).then(oneLine, () => '(can no longer be opened)');
