// Checks what a terminal receives of texts that others wrote.
import { expect, test } from 'vitest';
import { createOutput, styleFor } from '../../ops/output.ts';
import { printList } from '../../ops/table.ts';

const hostile = 'Ada\u001b[2J\u009b31m\u202eecilA\u2028\u0007';
const [OBEYED, DIRECTED] = [/[^\P{Cc}\n]/u, /[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/];

const rows = [{ name: hostile }];

function printed(isJson: boolean): string {
  let written = '';
  const stream = { write: (text: string) => (written += text) };
  const style = styleFor(stream, { NO_COLOR: '1' });
  const out = createOutput({ out: stream, err: stream }, { isJson, now: new Date(), style });
  printList({ out, limit: 10 }, rows, 'nobody', [{ title: 'name', of: ({ name }) => name }]);
  return written;
}

test.each([false, true])('a hostile text moves no cursor and colours nothing, as JSON: %s', (isJson) => {
  const text = printed(isJson);
  expect(text).toContain('Ada');
  expect(text).not.toMatch(OBEYED);
  expect(text).not.toMatch(DIRECTED);
});

test('JSON has the whole hostile text, escaped', () => {
  expect(JSON.parse(printed(true))).toEqual(rows);
});
