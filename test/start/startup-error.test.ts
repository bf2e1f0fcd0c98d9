// The message for operators when the database does not let a process start or go on.
import { expect, it } from 'vitest';
import { ConnectionSilent } from '../../src/database/patches/answer-deadline.ts';
import { startupErrorMessage } from '../../src/start/startup-error.ts';

const withCode = (code: string) => Object.assign(new Error('x'), { code });

it.each([
  ['takes no writes', withCode('25006'), 'takes no writes'],
  ['is full', withCode('53100'), 'no room left'],
  ['ends a statement', withCode('57014'), 'did not finish a statement in time'],
  ['does not give a lock', withCode('55P03'), 'did not finish a statement in time'],
  ['is silent', new ConnectionSilent(), 'cannot be reached'],
  ['is not there', withCode('ECONNREFUSED'), 'cannot be reached'],
  ['rejects the credentials', withCode('28P01'), 'rejects the login'],
])('the database %s', (_what, error, told) => {
  expect(startupErrorMessage(error)).toContain(told);
});

it.each([
  ['taken', 'EADDRINUSE', 'PORT and METRICS_PORT'],
  ['not this machine’s', 'EADDRNOTAVAIL', 'LISTEN_HOST or METRICS_HOST'],
])('an address that is %s is named by what sets it', (_what, code, told) => {
  expect(startupErrorMessage(withCode(code))).toContain(told);
});

it('anything unforeseen is shown whole', () => {
  expect(startupErrorMessage(new Error('x'))).toBeNull();
});
