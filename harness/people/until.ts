// Waits as an app waits: by polling, in short intervals at first, then in longer ones.

/**
 * @returns the first answer that fulfils the condition.
 * @throws with the last answer if none did within `withinMs`.
 */
export async function until<Seen>(
  poll: () => Promise<Seen>,
  isGood: (seen: Seen) => boolean,
  withinMs = 30_000,
): Promise<Seen> {
  const begun = Date.now();
  for (;;) {
    const seen = await poll();
    if (isGood(seen)) return seen;
    const waited = Date.now() - begun;
    if (waited > withinMs) throw new Error(`did not come about: ${JSON.stringify(seen)}`);
    await new Promise((resolve) => setTimeout(resolve, Math.min(100, 15 + waited / 10)));
  }
}
