// Sealed values that operators may read: what the provider said when something went wrong.
import type { App } from '../app.ts';
import { places } from '../sealing/places.ts';
import { oneLine } from './format.ts';

type SealedReason = { user_id: string; handle: string; reason_sealed: Uint8Array | null };

/** Also after a key is gone the rest must be shown. */
export async function providerSaid(app: App, reason: SealedReason): Promise<string | null> {
  if (reason.reason_sealed === null) return null;
  const place = places.providerReason(reason.user_id, reason.handle);
  return app.sealer.open(place, reason.reason_sealed).then(oneLine, () => '(can no longer be opened)');
}
