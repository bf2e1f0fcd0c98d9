// Signals that end a call or a wait. React Native has `AbortController`, but no reasons and none of the newer methods.

/** @throws the signal's reason if it is aborted. */
export function throwIfAborted(signal: AbortSignal | null | undefined): void {
  if (signal?.aborted) throw reasonOf(signal);
}

/** @returns the reason that the app aborted with, or an `AbortError` if the platform does not keep it. */
export const reasonOf = (signal: AbortSignal): unknown =>
  signal.reason ?? Object.assign(new Error('The app ended this call.'), { name: 'AbortError' });

/**
 * Resolves after `ms`.
 * @throws the signal's reason if it is aborted meanwhile.
 */
export function pause(ms: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(reasonOf(signal));
    const onAbort = () => {
      clearTimeout(timer);
      if (signal) reject(reasonOf(signal));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort);
  });
}
