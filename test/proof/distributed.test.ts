// The parts of `npm run try:distributed` that need no cluster: its options, and how it reads what the stories of test/flows report.
import { expect, test } from 'vitest';
import { readFlows } from '../../proof/distributed/flows.ts';
import { readOptions, STAGES } from '../../proof/distributed/options.ts';

const url = ['--url', 'postgres://postgres@localhost:5432/ponte'];

test('a run has all stages, and leaves out what needs commands that it was not given', () => {
  expect(readOptions(url)).toMatchObject({ stages: STAGES, payments: 2_000, outages: [], clock: null });
});

test('a run takes the commands that change a server and change it back', () => {
  const commands = ['--down', 'stop 1', '--up', 'start 1', '--ahead', 'date 2', '--back', 'date 0'];
  expect(readOptions([...url, ...commands])).toMatchObject({
    outages: [{ begin: 'stop 1', end: 'start 1' }],
    clock: { begin: 'date 2', end: 'date 0' },
  });
});

test.each([
  [[], '--url names the coordinator'],
  [[...url, '--down', 'stop 1'], 'each --down needs its --up'],
  [[...url, '--ahead', 'date 2'], '--ahead needs --back'],
  [[...url, '--stages', 'demo,everything'], '--stages: "everything" is not one of statements, demo'],
  [[...url, '--payments', '0'], '--payments must be a whole number'],
])('the options %j are refused', (args, why) => {
  expect(() => readOptions(args)).toThrow(why);
});

test('a story that fails is named with its file, as is a file that could not be loaded; one that needs a trigger is listed apart', () => {
  const report = {
    numTotalTests: 4,
    testResults: [
      {
        name: '/project/test/flows/kyc.test.ts',
        status: 'failed',
        message: '',
        assertionResults: [
          { status: 'passed', fullName: 'a user is verified', failureMessages: [] },
          {
            status: 'failed',
            fullName: 'a user is refused',
            failureMessages: ['AssertionError: expected 1'],
          },
          {
            status: 'failed',
            fullName: 'a user waits',
            failureMessages: ['error: triggers are not supported on distributed tables'],
          },
        ],
      },
      {
        name: '/project/test/flows/me.test.ts',
        status: 'failed',
        message: 'no such module',
        assertionResults: [],
      },
      {
        name: '/project/test/flows/codes.test.ts',
        status: 'passed',
        message: '',
        assertionResults: [{ status: 'passed', fullName: 'a charge is paid once' }],
      },
    ],
  };
  expect(readFlows(JSON.stringify(report))).toEqual({
    files: 3,
    tests: 4,
    failures: ['test/flows/kyc.test.ts: a user is refused', 'test/flows/me.test.ts: no such module'],
    unable: ['test/flows/kyc.test.ts: a user waits'],
  });
});
