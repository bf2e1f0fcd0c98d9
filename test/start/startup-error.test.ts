// The message for operators when a process cannot start or continue because of the database.
import { expect, test } from 'vitest';
import { ConnectionSilent } from '../../src/platform/database/patches/answer-deadline.ts';
import { startupErrorMessage } from '../../src/start/startup-error.ts';

const withCode = (code: string) => Object.assign(new Error('x'), { code });

test.each([
  ['takes no writes', withCode('25006'), 'takes no writes'],
  ['is full', withCode('53100'), 'no room left'],
  ['ends a statement', withCode('57014'), 'did not finish a statement in time'],
  ['does not give a lock', withCode('55P03'), 'did not finish a statement in time'],
  ['does not answer', new ConnectionSilent(), 'cannot be reached'],
  ['is not there', withCode('ECONNREFUSED'), 'cannot be reached'],
  ['rejects the credentials', withCode('28P01'), 'rejects the login'],
])('a database that %s is reported with its own message', (_what, error, told) => {
  expect(startupErrorMessage(error)).toContain(told);
});

test.each([
  ['taken', 'EADDRINUSE', 'PORT and METRICS_PORT'],
  ['not this machine’s', 'EADDRNOTAVAIL', 'LISTEN_HOST or METRICS_HOST'],
])('an address that is %s is reported with the variables that set it', (_what, code, told) => {
  expect(startupErrorMessage(withCode(code))).toContain(told);
});

test('an unforeseen error has no message, so it is shown in full', () => {
  expect(startupErrorMessage(new Error('x'))).toBeNull();
});
