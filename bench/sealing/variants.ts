// Groups of users in the same tables, served by the same process, so that only the sealing differs. One group is not sealed, one is
// sealed as the service does it, one has no plaintext cache, and one has no cached data keys. Only this benchmark has a sealer that
// does not seal: the service has no setting for it.

import { createDataKeys } from '../../src/platform/security/data-keys.ts';
import type { PlaintextCache } from '../../src/platform/security/plaintext-cache.ts';
import type { Sealer } from '../../src/platform/security/sealer.ts';
import { createSealer } from '../../src/platform/security/sealer.ts';
import type { App } from '../../src/start/app.ts';

export const variants = ['off', 'on', 'anew', 'cold'] as const;
export type Variant = (typeof variants)[number];

/** A sealer that stores and returns values unchanged. */
export const notSealing: Sealer = {
  seal: async (_place, text) => Buffer.from(text),
  sealBytes: async (_place, bytes) => bytes,
  open: async (_place, stored) => Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength).toString(),
  openerOf: async () => (_place, stored) => Buffer.from(stored).toString(),
  openBytes: async (_place, stored) => Buffer.from(stored),
  fingerprint: async (_scope, _purpose, text) => Buffer.from(text),
};

/** @returns a sealer that replaces the app's own. The value's user determines which sealer does the work. */
export function sealerOfAll(app: App, variantOf: Map<string, Variant>): Sealer {
  const { db, config, sealer } = app;
  const anew = (opened?: PlaintextCache): Sealer =>
    createSealer(createDataKeys(db, config.masterKeys), opened);
  const sealers: Record<Variant, Sealer> = {
    off: notSealing,
    on: sealer,
    // Simulates values that have not been read for a while.
    anew: anew((_place, _sealed, open) => open()),
    // Simulates the first request of a user whom a process has not seen for long.
    cold: choosing(() => anew()),
  };
  return choosing((scope) => sealers[variantOf.get(scope) ?? 'on']);
}

/** @param sealerFor is called for each value. */
const choosing = (sealerFor: (scope: string) => Sealer): Sealer => ({
  seal: (place, text) => sealerFor(place.scope).seal(place, text),
  sealBytes: (place, bytes) => sealerFor(place.scope).sealBytes(place, bytes),
  open: (place, sealed) => sealerFor(place.scope).open(place, sealed),
  openerOf: (scope) => sealerFor(scope).openerOf(scope),
  openBytes: (place, sealed) => sealerFor(place.scope).openBytes(place, sealed),
  fingerprint: (scope, ...text) => sealerFor(scope).fingerprint(scope, ...text),
});
