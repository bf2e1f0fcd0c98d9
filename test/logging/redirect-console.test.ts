// What libraries write to the console appears in our log, as one line each and without the values they failed on.
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { redirectConsole } from '../../src/logging/redirect-console.ts';

const lines: Record<string, unknown>[] = [];
const original = { ...console };

beforeAll(() =>
  redirectConsole(
    pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line) as never) }),
  ),
);
afterAll(() => Object.assign(console, original));

it.each([
  ['error', 50],
  ['trace', 50],
  ['warn', 40],
  ['log', 30],
] as const)('console.%s', (method, level) => {
  console[method]('completeJobs failed:', new Error('gone'), { secret: 'x' });
  const line = lines.pop();
  expect(line).toMatchObject({
    level,
    code: 'console.redirected',
    console: 'completeJobs failed: Error: gone object',
  });
  expect(lines).toEqual([]);
});
