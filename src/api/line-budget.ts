// Limits the log lines about refused anonymous requests. Anyone can send as many of those as they like: at 854 requests per second,
// one line for each would add up to 29 GB per day. `ponte_http_refusals_total` counts each of them.
import type { Log } from '../domain/log.ts';

const WINDOW_MS = 60_000;

/** Returns whether a line of this kind may be written. Lines that may not be written are counted. */
export type LineBudget = (kind: string) => boolean;

/**
 * Creates a budget of one line per kind and minute: the first one, and then each minute the number of those that were not written.
 * @param omitted is called at the end of a minute with that number, if it is not 0. Its line is the one of the next minute.
 */
export function createLineBudget(omitted: (kind: string, lines: number) => void): LineBudget {
  const omittedByKind = new Map<string, number>();

  const endWindow = (kind: string): void => {
    const lines = omittedByKind.get(kind) ?? 0;
    omittedByKind.delete(kind);
    if (lines === 0) return;
    omitted(kind, lines);
    startWindow(kind);
  };
  const startWindow = (kind: string): void => {
    omittedByKind.set(kind, 0);
    setTimeout(endWindow, WINDOW_MS, kind).unref();
  };

  return (kind) => {
    const lines = omittedByKind.get(kind);
    if (lines === undefined) startWindow(kind);
    else omittedByKind.set(kind, lines + 1);
    return lines === undefined;
  };
}

/** Creates the budget of log lines about refused requests without a session, by refusal code. Level debug has no limit. */
export function anonymousLines(log: Log): LineBudget {
  if (log.isLevelEnabled('debug')) return () => true;
  return createLineBudget((refusal, lines) =>
    log.info(
      { code: 'request.lines_omitted', refusal, lines },
      'further anonymous requests were refused within a minute and have no log line of their own',
    ),
  );
}
