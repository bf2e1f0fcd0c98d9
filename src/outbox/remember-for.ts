// Caches a value for a limited time: however often it is requested, it is read at most once in that time.

/** Returns a function that reads the value. A read that fails rejects for all callers that wait for it, and is not cached. */
export function rememberFor<Value>(ms: number, read: () => Promise<Value>): () => Promise<Value> {
  let value: Promise<Value> | null = null;
  let validUntil = 0;
  return () => {
    const now = performance.now();
    if (value === null || now > validUntil) {
      validUntil = now + ms;
      value = read();
      value.catch(() => {
        value = null;
      });
    }
    return value;
  };
}
