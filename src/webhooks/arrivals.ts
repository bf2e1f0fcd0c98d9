// Watches how late callbacks arrive. A busy process takes callbacks from the provider too slowly. Payments then wait at the provider for
// news, and no queue of this service shows it.

/** How long arrivals are collected before their median counts. */
const WINDOW_MS = 250;
/** A window with fewer callbacks tells nothing: so few do not keep a process busy. */
const FEWEST = 20;
/** Lateness counts if it has been at least this for so many windows. A busy moment, as of a nightly page, passes by itself. */
const LATE_FROM_MS = 200;
const LASTS = 4;
/** Lateness counts until this long after the process was busy. Meanwhile the provider sends the callbacks that it could not send before. */
const COUNTS_FOR_MS = 5_000;
/** How much of each difference the usual age takes over. */
const ADAPTS_BY = 1 / 8;

export type Arrivals = {
  /** Records that a callback about our resource was stored for the first time. @param ageMs the time since the announced change. */
  arrived: (ageMs: number) => void;
  /**
   * How much later than usual callbacks arrive, in milliseconds. 0 unless this process was busy in the last seconds: otherwise it is the
   * provider that is slow. The provider's clock may differ, because only changes of the age count.
   */
  lateMs: () => number;
};

/**
 * @param isBusy tells whether this process had hardly a pause in the last half second.
 * @param now milliseconds of a monotonic clock.
 */
export function watchArrivals(isBusy: () => boolean, now: () => number = () => performance.now()): Arrivals {
  let [ages, sinceMs]: [number[], number] = [[], now()];
  let usualMs = Number.POSITIVE_INFINITY;
  let latest: number[] = [];
  let busyAtMs = Number.NEGATIVE_INFINITY;

  const closeWindow = (): void => {
    if (now() - sinceMs < WINDOW_MS) return;
    if (isBusy()) busyAtMs = now();
    const counts = now() - busyAtMs < COUNTS_FOR_MS;
    const medianMs = ages.length < FEWEST ? null : (ages.toSorted((a, b) => a - b)[ages.length >> 1] ?? null);
    if (medianMs !== null && (!counts || medianMs < usualMs))
      usualMs = Number.isFinite(usualMs) ? usualMs + (medianMs - usualMs) * ADAPTS_BY : medianMs;
    const lateMs = counts && medianMs !== null ? Math.max(0, medianMs - usualMs) : 0;
    latest = [...latest, lateMs].slice(-LASTS);
    [ages, sinceMs] = [[], now()];
  };

  return {
    arrived: (ageMs) => {
      closeWindow();
      ages.push(ageMs);
    },
    lateMs: () => {
      closeWindow();
      return latest.length === LASTS && Math.min(...latest) >= LATE_FROM_MS ? (latest.at(-1) ?? 0) : 0;
    },
  };
}
