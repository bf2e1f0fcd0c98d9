// docs/tour.md follows one payment. Its excerpts are lines of the sources, and a payment runs the functions that it names.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { documentText, inProject } from './markdown.ts';

const run = promisify(execFile);

const stops = documentText('docs/tour.md')
  .split(/^## \d+\. /m)
  .slice(1)
  .map((section) => ({
    file: /^\[`(?<file>[^`]+)`\]/m.exec(section)?.groups?.['file'] ?? 'no file',
    name: /\), `(?<name>\w+)`$/m.exec(section)?.groups?.['name'] ?? 'no function',
    excerpt: /^```ts\n(?<lines>[\s\S]+?)\n```/m.exec(section)?.groups?.['lines'] ?? 'no excerpt',
  }));

/** Code without what a formatter may change. */
const compact = (code: string): string => code.replaceAll(/\s+/g, '').replaceAll(/,(?=[)\]}])/g, '');

test('the tour has twelve stops', () => {
  expect(stops).toHaveLength(12);
});

test('each excerpt is at most five lines of the file that its stop names', () => {
  const strays = stops.filter(
    ({ file, excerpt }) =>
      excerpt.split('\n').length > 5 || !compact(documentText(file)).includes(compact(excerpt)),
  );
  expect(strays.map(({ file }) => file)).toEqual([]);
});

test('a payment runs every function that the tour names', async () => {
  const { stdout } = await run(process.execPath, ['scripts/trace-payment.ts', '--whole'], {
    cwd: inProject(''),
    timeout: 280_000,
  });
  const functionsIn = (file: string): string[] => {
    const line = stdout.split('\n').find((one) => one.startsWith(`${file}: `)) ?? '';
    return line.slice(file.length + 2).split(', ');
  };
  const missing = stops.filter(({ file, name }) => !functionsIn(file).includes(name));
  expect(missing.map(({ file, name }) => `${file} ${name}`)).toEqual([]);
});
