// People in groups, all of them in the same tables and served by the same process, so that nothing but the sealing differs:
// one not sealed at all, one sealed as the service does it, one of which nothing is remembered, and one with nobody's key at
// hand. Only here is there a sealer that does not seal: the service has no setting for it.
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

/** @returns a sealer in place of the app's own: which one works depends on whose the value is. */
export function sealerOfAll(app: App, variantOf: Map<string, Variant>): Sealer {
  const { db, config, sealer } = app;
  const sealers: Record<Variant, Sealer> = {
    off: notSealing,
    on: sealer,
    anew: createSealer(createDataKeys(db, config.masterKeys), openAnew),
    cold: forgetful(app),
  };
  const of = (scope: string): Sealer => sealers[variantOf.get(scope) ?? 'on'];
  return {
    seal: (place, text) => of(place.scope).seal(place, text),
    sealBytes: (place, bytes) => of(place.scope).sealBytes(place, bytes),
    open: (place, sealed) => of(place.scope).open(place, sealed),
    openBytes: (place, sealed) => of(place.scope).openBytes(place, sealed),
  };
}

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
