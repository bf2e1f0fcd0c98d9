// What the rest of the service uses to keep personal values unreadable at rest: seal on the way in, open on the way out.
import type { DataKeys } from './data-keys.ts';
import { openWith, type Place, sealWith } from './envelope.ts';

export type Sealer = {
  seal: (place: Place, text: string) => Promise<Buffer>;
  sealBytes: (place: Place, bytes: Buffer) => Promise<Buffer>;
  open: (place: Place, sealed: Uint8Array) => Promise<string>;
  openBytes: (place: Place, sealed: Uint8Array) => Promise<Buffer>;
};

export function createSealer({ keyOf, existingKeyOf }: DataKeys): Sealer {
  const sealBytes = async (place: Place, bytes: Buffer) => sealWith(await keyOf(place.scope), place, bytes);
  const openBytes = async (place: Place, sealed: Uint8Array) =>
    openWith(await existingKeyOf(place.scope), place, sealed);
  return {
    sealBytes,
    openBytes,
    seal: (place, text) => sealBytes(place, Buffer.from(text)),
    open: async (place, sealed) => (await openBytes(place, sealed)).toString(),
  };
}
