// What the rest of the service uses to keep personal values unreadable at rest: seal on the way in, open on the way out.
import type { DataKeys } from './data-keys.ts';
import { openWith, type Place, sealWith } from './envelope.ts';
import { createOpened, type Opened } from './opened.ts';

export type Sealer = {
  seal: (place: Place, text: string) => Promise<Buffer>;
  sealBytes: (place: Place, bytes: Buffer) => Promise<Buffer>;
  open: (place: Place, sealed: Uint8Array) => Promise<string>;
  openBytes: (place: Place, sealed: Uint8Array) => Promise<Buffer>;
};

export const createSealer = (
  { keyOf, existingKeyOf }: Pick<DataKeys, 'keyOf' | 'existingKeyOf'>,
  opened: Opened = createOpened(),
): Sealer => ({
  seal: async (place, text) => sealWith(await keyOf(place.scope), place, Buffer.from(text)),
  sealBytes: async (place, bytes) => sealWith(await keyOf(place.scope), place, bytes),
  open: async (place, sealed) => {
    const key = await existingKeyOf(place.scope);
    return opened(place, sealed, () => openWith(key, place, sealed).toString());
  },
  openBytes: async (place, sealed) => openWith(await existingKeyOf(place.scope), place, sealed),
});
