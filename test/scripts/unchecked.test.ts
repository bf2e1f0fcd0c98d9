// The gate does not pass because a check could not run.
import { expect, test } from 'vitest';
import { leaveOut, mayLeaveOut } from '../../scripts/unchecked.ts';

test.each([
  ['a person runs the tests', {}, true],
  ['CI runs the tests', { CI: 'true' }, false],
  ['CI accepts another check', { CI: 'true', ACCEPT_UNCHECKED: 'advisories' }, false],
  ['CI accepts this check by name', { CI: 'true', ACCEPT_UNCHECKED: 'advisories, browser' }, true],
])('if %s, the browser tests may be left out: %s', (_, env, expected) => {
  expect(mayLeaveOut('browser', env)).toBe(expected);
});

test('under CI, a check that is left out fails with the variable that accepts it', () => {
  const { CI, ACCEPT_UNCHECKED } = process.env;
  try {
    Object.assign(process.env, { CI: 'true', ACCEPT_UNCHECKED: '' });
    expect(() => leaveOut('browser', 'No Chromium.')).toThrow(
      'No Chromium. ACCEPT_UNCHECKED=browser accepts that.',
    );
  } finally {
    Object.assign(process.env, { CI: CI ?? '', ACCEPT_UNCHECKED: ACCEPT_UNCHECKED ?? '' });
  }
});
