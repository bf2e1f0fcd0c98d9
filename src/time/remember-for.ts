// A value that is read again when it is older than so long: however often it is asked for, it is read once in that time.

/** @returns what reads the value. A reading that fails rejects for those who wait for it, and is not kept. */
export function rememberFor<Value>(ms: number, read: () => Promise<Value>): () => Promise<Value> {
  let known: Promise<Value> | null = null;
  let knownUntil = 0;
  return () => {
    const now = performance.now();
    if (known === null || now > knownUntil) {
      knownUntil = now + ms;
      known = read();
      known.catch(() => {
        known = null;
      });
    }
    return known;
  };
}
