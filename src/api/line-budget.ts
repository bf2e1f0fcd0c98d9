// Bounds the log lines about refused anonymous requests: anybody may cause as many as they like, and at 854 a second a line
// for each would be 29 GB a day.

/** Of one kind in one second. */
const MOST_LINES = 10;
const WINDOW_MS = 1_000;

/** @returns whether a line of this kind may be written; otherwise it is counted. */
export type LineBudget = (kind: string) => boolean;

/** @param omitted is called at the end of a second, with the number of lines that were not written in it. */
export function createLineBudget(omitted: (kind: string, lines: number) => void): LineBudget {
  const asked = new Map<string, number>();

  const endWindow = (): void => {
    const kinds = [...asked];
    asked.clear();
    for (const [kind, times] of kinds) if (times > MOST_LINES) omitted(kind, times - MOST_LINES);
  };

  return (kind) => {
    if (asked.size === 0) setTimeout(endWindow, WINDOW_MS).unref();
    const times = (asked.get(kind) ?? 0) + 1;
    asked.set(kind, times);
    return times <= MOST_LINES;
  };
}
