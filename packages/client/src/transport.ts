// Sends a request, and sends the very same one again where no usable answer came: the contract makes that harmless.
import { PonteUnreachable } from './errors.ts';

export type Transport = { fetch: (request: Request) => Promise<Response>; timeoutMs: number; tries: number };

/**
 * The server, or something behind it, was away, or had too many requests of this user in progress: nothing was done, or
 * the same request finds what was.
 */
const AWAY = new Set([429, 502, 503, 504]);
const LONGEST_PAUSE_MS = 10_000;

/** @throws PonteUnreachable when no try got an answer. */
export async function send(request: Request, { fetch, timeoutMs, tries }: Transport): Promise<Response> {
  for (let tried = 1; ; tried += 1) {
    const isLast = tried >= tries;
    try {
      const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)]);
      const response = await fetch(new Request(request.clone(), { signal }));
      if (isLast || !AWAY.has(response.status)) return response;
      await pause(Math.max(backOffMs(tried), retryAfterMs(response)), request.signal);
    } catch (error) {
      // Whoever gave up waiting is told so, and nothing is sent again.
      if (request.signal.aborted) throw request.signal.reason;
      if (isLast) throw new PonteUnreachable(error);
      await pause(backOffMs(tried), request.signal);
    }
  }
}

/** Apart from each other, so that phones that lost the server together do not come back together. */
const backOffMs = (tried: number): number => 500 * 2 ** tried * (0.5 + Math.random() / 2);

function retryAfterMs(response: Response): number {
  const seconds = Number(response.headers.get('retry-after') ?? 0);
  return Number.isFinite(seconds) ? Math.min(seconds * 1_000, LONGEST_PAUSE_MS) : 0;
}

/** @throws the signal's reason when it is aborted meanwhile. */
export function pause(ms: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
