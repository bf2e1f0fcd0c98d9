// Redirects what libraries write to the console to our log, as one line each.
import type { Log } from '../domain/log.ts';

/** Replaces the console's methods. Only messages and the names of errors are kept, because other values may be personal. */
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
