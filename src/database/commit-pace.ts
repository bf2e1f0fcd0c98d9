// How often commits may begin. A commit costs the server's processor as much as 20 statements, however little it writes, so
// under load a group waits a little for more to share its commit; where little is going on nothing waits.

/**
 * How many may begin at once after a rest. A payment's own commits come one after the other, a few milliseconds apart: alone it
 * waits for none of them.
 */
const AT_ONCE = 4;
/** Under load so much time lies between the beginnings of two commits. */
const BETWEEN_MS = 15;

/** @returns a function to be called before each commit: null when the commit may begin now, else a promise that resolves when it may. */
export function createCommitPace(): () => Promise<void> | null {
  /** When the rest has been long enough for `AT_ONCE` commits. */
  let restedAt = 0;
  return () => {
    const now = performance.now();
    const waitMs = restedAt - (AT_ONCE - 1) * BETWEEN_MS - now;
    restedAt = Math.max(restedAt, now) + BETWEEN_MS;
    return waitMs > 0 ? new Promise((resolve) => setTimeout(resolve, waitMs)) : null;
  };
}
