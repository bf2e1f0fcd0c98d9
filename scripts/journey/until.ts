// Waiting as an app waits: by looking again, soon at first, then less often.

/** @throws with the last thing seen when it is still not good after `withinMs`. */
export async function until<Seen>(
  look: () => Promise<Seen>,
  isGood: (seen: Seen) => boolean,
  withinMs = 30_000,
): Promise<Seen> {
  const begun = Date.now();
  for (;;) {
    const seen = await look();
    if (isGood(seen)) return seen;
    const waited = Date.now() - begun;
    if (waited > withinMs) throw new Error(`did not come about: ${JSON.stringify(seen)}`);
    await new Promise((resolve) => setTimeout(resolve, Math.min(100, 15 + waited / 10)));
  }
}
