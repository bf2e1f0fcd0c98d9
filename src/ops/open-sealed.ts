// Sealed values that operators may read: what the provider said when something went wrong, what a payer wrote.
import type { App } from '../app.ts';
import { encryptionContexts } from '../sealing/encryption-contexts.ts';
import type { EncryptionContext } from '../sealing/envelope.ts';
import { oneLine } from './format.ts';

type SealedReason = { user_id: string; handle: string; reason_sealed: Uint8Array | null };

export async function providerSaid(app: App, reason: SealedReason): Promise<string | null> {
  if (reason.reason_sealed === null) return null;
  return openedLine(
    app,
    encryptionContexts.providerReason(reason.user_id, reason.handle),
    reason.reason_sealed,
  );
}

/** Also after a key is gone the rest must be shown. */
export const openedLine = (app: App, place: EncryptionContext, sealed: Uint8Array): Promise<string> =>
  app.sealer.open(place, sealed).then(oneLine, () => '(can no longer be opened)');
