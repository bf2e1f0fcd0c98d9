// The owner of the key that is to be paid. The key is looked up once, because each look-up costs the person a token: the draft keeps the
// result for as long as the service accepts it.
import type { PixRecipientLookup } from '@ponte/client';
import { useEffect, useState } from 'preact/hooks';
import { type Draft, draft } from './intents.ts';
import { ponte } from './session.ts';

/** The service accepts a look-up for 15 minutes. */
const KEPT_MS = 14 * 60_000;

type LookedUp = {
  /** The owner. Null until the service has answered, and if it cannot say. */
  owner: PixRecipientLookup | null;
  error: unknown;
  again: () => void;
};

export function useLookup(to: Draft): LookedUp {
  const owner = keptIn(to);
  const [error, setError] = useState<unknown>(null);
  const [times, setTimes] = useState(0);
  useEffect(() => {
    if (owner !== null || to.code) return undefined;
    let isLeft = false;
    const { pixKey, pixKeyType } = to;
    ponte.lookUpRecipient({ pixKey, pixKeyType }).then(
      (found) => isLeft || draft.set({ ...to, lookup: { found, atMs: Date.now() } }),
      (fault: unknown) => isLeft || setError(fault),
    );
    return () => {
      isLeft = true;
    };
  }, [owner === null, times]);
  const again = (): void => {
    setError(null);
    setTimes((before) => before + 1);
  };
  return { owner, error, again };
}

function keptIn({ lookup }: Draft): PixRecipientLookup | null {
  if (!lookup) return null;
  const ageMs = Date.now() - lookup.atMs;
  return ageMs >= 0 && ageMs < KEPT_MS ? lookup.found : null;
}
