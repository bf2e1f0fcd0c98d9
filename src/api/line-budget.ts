// Limits the log lines about refused anonymous requests. Anyone can send as many of those as they like: at 854 requests per second,
// one line for each would add up to 29 GB per day.
import type { Log } from '../domain/log.ts';

/** The maximum number of lines of one kind per second. */
const MAX_LINES = 10;
const WINDOW_MS = 1_000;

/** Returns whether a line of this kind may be written. Lines that may not be written are counted. */
export type LineBudget = (kind: string) => boolean;

/**
 * Creates a budget of ten lines per kind and second.
 * @param omitted is called at the end of a second with the number of lines that were not written in it.
 */
export function createLineBudget(omitted: (kind: string, lines: number) => void): LineBudget {
  const linesByKind = new Map<string, number>();

  const endWindow = (): void => {
    const kinds = [...linesByKind];
    linesByKind.clear();
    for (const [kind, times] of kinds) if (times > MAX_LINES) omitted(kind, times - MAX_LINES);
  };

  return (kind) => {
    if (linesByKind.size === 0) setTimeout(endWindow, WINDOW_MS).unref();
    const times = (linesByKind.get(kind) ?? 0) + 1;
    linesByKind.set(kind, times);
    return times <= MAX_LINES;
  };
}

/** Creates the budget of log lines about refused requests without a session, by refusal code. Level debug has no limit. */
export function anonymousLines(log: Log): LineBudget {
  if (log.isLevelEnabled('debug')) return () => true;
  return createLineBudget((refusal, lines) =>
    log.info(
      { code: 'request.lines_omitted', refusal, lines },
      'further anonymous requests were refused within this second and have no log line of their own',
    ),
  );
}
