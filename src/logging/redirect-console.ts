// Libraries that write to the console on a bad day write into our log instead: one line each, in one place and one form.
import type { Log } from './log.ts';

/** Only messages and the kinds of errors are taken over; other values may be anybody's. */
export function redirectConsole(log: Log): void {
  const take =
    (level: 'error' | 'warn' | 'info') =>
    (...parts: unknown[]): void =>
      log[level](
        { code: 'console.redirected', console: parts.map(textOf).join(' ') },
        'a library wrote to the console',
      );
  Object.assign(console, {
    error: take('error'),
    trace: take('error'),
    warn: take('warn'),
    log: take('info'),
    info: take('info'),
  });
}

const textOf = (part: unknown): string => {
  if (part instanceof Error) return `${part.name}: ${part.message}`;
  return typeof part === 'string' ? part : typeof part;
};
