// Polls until something has the state that the app wants: every two seconds while the user may be watching, then less often.
import { pause, throwIfAborted } from './abort.ts';
import type { CallOptions } from './options.ts';

const WATCHED_MS = 30_000;
const FIRST_MS = 2_000;
const MAX_MS = 30_000;

/** The options of a call. They apply to each poll. `signal` also ends the wait. */
export type WaitOptions<Seen> = CallOptions & {
  /** The maximum time to wait, in milliseconds. By default the time is unlimited. After it, the call returns the last result. */
  forMs?: number;
  /** Called with the first result, and with each result whose status differs from the previous one. */
  onChange?: (seen: Seen) => void;
};

/**
 * @returns the first settled result, or the last result after `forMs`.
 * @throws the signal's reason.
 */
export async function waitUntil<Seen extends { status: string }>(
  look: (options: CallOptions) => Promise<Seen>,
  isSettled: (seen: Seen, options: CallOptions) => boolean | Promise<boolean>,
  { forMs = Number.POSITIVE_INFINITY, onChange, ...options }: WaitOptions<Seen> = {},
): Promise<Seen> {
  const { signal } = options;
  const begun = Date.now();
  let status: string | null = null;
  for (let pauseMs = FIRST_MS; ; ) {
    throwIfAborted(signal);
    const seen = await look(options);
    if (seen.status !== status) onChange?.(seen);
    status = seen.status;
    const waitedMs = Date.now() - begun;
    if (waitedMs >= forMs || (await isSettled(seen, options))) return seen;
    await pause(Math.min(pauseMs, forMs - waitedMs), signal);
    if (waitedMs > WATCHED_MS) pauseMs = Math.min(pauseMs * 1.5, MAX_MS);
  }
}
