// Each benchmark runs to its end with tiny parameters. Otherwise a broken benchmark would stay unnoticed.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ROOT, surroundings } from '../support/process.ts';

const PATIENCE_MS = 300_000;

const benchmarks: [name: string, options: string[], prints: RegExp][] = [
  [
    'requests',
    ['--rows', '40', '--people', '4', '--rounds', '1', '--requests', '4', '--at-once', '2', '--print-only'],
    /\| POST \/pix\/payments +\| +\d/,
  ],
  [
    'payments',
    ['--rate', '2', '--seconds', '1', '--warm-up', '1', '--users', '4', '--rounds', '1', '--beside'],
    /reference/,
  ],
  [
    'payments',
    ['--planner', '--rate', '2', '--seconds', '1', '--warm-up', '1', '--users', '4'],
    /\| calls to the provider +\| +\d/,
  ],
  [
    'fairness',
    '--scenarios quotes,sign-ins --connections 2 --seconds 0.2 --ramp-seconds 0.2 --quote-ms 0'.split(' '),
    /\| next to 2 connections +\| +\d/,
  ],
];

test.each(benchmarks)(
  'the benchmark of %s runs',
  async (name, options, prints) => {
    const { stdout } = await promisify(execFile)(process.execPath, [`bench/${name}/main.ts`, ...options], {
      cwd: ROOT,
      env: surroundings(),
    });
    expect(stdout).toMatch(prints);
  },
  PATIENCE_MS,
);

const documented = [
  ...readFileSync(`${ROOT}/docs/performance.md`, 'utf8').matchAll(/npm run bench:(\w+)([^`\n]*)/g),
]
  .map(([, name = '', rest = '']): [string, string[]] => [name, rest.match(/(?<=--)[a-z][\w-]*/g) ?? []])
  // This benchmark is a test that environment variables configure, without options.
  .filter(([name]) => name !== 'plans');

test('docs/performance.md names only options that the benchmarks have', () => {
  expect(documented.length).toBeGreaterThan(5);
  for (const [name, options] of documented) {
    const source = readFileSync(`${ROOT}/bench/${name}/main.ts`, 'utf8');
    for (const option of options)
      expect([name, option, source]).toEqual([
        name,
        option,
        expect.stringMatching(new RegExp(`^ +'?${option}'?: \\{`, 'm')),
      ]);
  }
});
