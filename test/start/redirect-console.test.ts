// Console output of libraries appears in the log, as one line each and without the values of their errors.
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { redirectConsole } from '../../src/start/redirect-console.ts';

const lines: Record<string, unknown>[] = [];
const original = { ...console };

beforeAll(() =>
  redirectConsole(
    pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line) as never) }),
  ),
);
afterAll(() => Object.assign(console, original));

test.each([
  ['error', 50],
  ['trace', 50],
  ['warn', 40],
  ['log', 30],
] as const)('console.%s of a library becomes one line of the log', (method, level) => {
  console[method]('completeJobs failed:', new Error('gone'), { secret: 'x' });
  const line = lines.pop();
  expect(line).toMatchObject({
    level,
    code: 'console.redirected',
    console: 'completeJobs failed: Error: gone object',
  });
  expect(lines).toEqual([]);
});
