// The service four times over: not sealing at all, sealing as it does, remembering nothing that it has opened, and with
// nobody's key at hand. Only here is there a sealer that does not seal: the service has no setting for it.
import type { App } from '../../src/app.ts';
import { createDataKeys } from '../../src/sealing/data-keys.ts';
import type { Opened } from '../../src/sealing/opened.ts';
import type { Sealer } from '../../src/sealing/sealer.ts';
import { createSealer } from '../../src/sealing/sealer.ts';

export const variants = ['off', 'on', 'anew', 'cold'] as const;
export type Variant = (typeof variants)[number];

/** Stores what it is given, and gives what is stored. */
export const notSealing: Sealer = {
  seal: async (_place, text) => Buffer.from(text),
  sealBytes: async (_place, bytes) => bytes,
  open: async (_place, stored) => Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength).toString(),
  openBytes: async (_place, stored) => Buffer.from(stored),
};

/** @returns for an app of this variant, the sealer that takes the place of its own. */
export const sealerOf: Record<Variant, (app: App) => Sealer> = {
  off: () => notSealing,
  on: ({ sealer }) => sealer,
  anew: ({ db, config }) => createSealer(createDataKeys(db, config.masterKeys), openAnew),
  cold: (app) => forgetful(app),
};

/** As for what nobody has looked at for a while. */
const openAnew: Opened = (_place, _sealed, open) => open();

/** Fetches the data key for every value, as for the first request of a person that a process has not seen for long. */
function forgetful({ db, config }: App): Sealer {
  const anew = (): Sealer => createSealer(createDataKeys(db, config.masterKeys));
  return {
    seal: (place, text) => anew().seal(place, text),
    sealBytes: (place, bytes) => anew().sealBytes(place, bytes),
    open: (place, sealed) => anew().open(place, sealed),
    openBytes: (place, sealed) => anew().openBytes(place, sealed),
  };
}
