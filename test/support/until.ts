// Waiting as an app waits: by looking again.

/** @throws with the last thing seen when it is still not good after `withinMs`. */
export async function until<Seen>(
  look: () => Promise<Seen>,
  isGood: (seen: Seen) => boolean,
  withinMs = 10_000,
): Promise<Seen> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const seen = await look();
    if (isGood(seen)) return seen;
    if (Date.now() > deadline) throw new Error(`did not come about: ${JSON.stringify(seen)}`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}
