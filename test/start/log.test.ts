// The log shows the stack of an unexpected error. For a failure of the provider it shows the reason in one line.
import { expect, test } from 'vitest';
import { OutcomeUnknown, ProviderRefusal, UnreadableReply } from '../../src/provider/errors.ts';
import { createLog } from '../../src/start/log.ts';

/** Logs the error as an attempt of an effect does. @returns the line and its bytes. */
function logged(error: unknown): { error: Record<string, unknown>; bytes: number } {
  const lines: string[] = [];
  const log = createLog('info', { write: (line: string) => void lines.push(line) });
  const id = '0198c0de-0000-7000-8000-000000000000';
  log.warn(
    {
      code: 'effect.outcome_unknown',
      error,
      effect: 'startPayout',
      effectId: id,
      attempts: 3,
      delayMs: 60_000,
    },
    'the outcome of the effect is unknown',
  );
  const [line = ''] = lines;
  return { error: (JSON.parse(line) as { error: Record<string, unknown> }).error, bytes: line.length };
}

const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:9'), { code: 'ECONNREFUSED' });

test.each([
  [
    new OutcomeUnknown('createPayout', 'answered 500', { status: 500 }),
    { type: 'OutcomeUnknown', message: 'createPayout: answered 500' },
  ],
  [
    new OutcomeUnknown('createPayout', 'no usable answer', { cause: refused }),
    {
      type: 'OutcomeUnknown',
      message: 'createPayout: no usable answer',
      reason: 'Error: connect ECONNREFUSED 127.0.0.1:9 (ECONNREFUSED)',
    },
  ],
  [
    new ProviderRefusal('rejected', 'createPayout'),
    { type: 'ProviderRefusal', message: 'createPayout was refused: rejected', code: 'rejected' },
  ],
])('%s has no stack in the log, and its line is at most 400 bytes', (error, described) => {
  const line = logged(error);
  expect(line.error).toEqual(described);
  expect(line.bytes).toBeLessThanOrEqual(400);
});

test.each([
  ['an error of the code', new TypeError('x is not a function')],
  [
    'a reply that does not match the contract',
    new UnreadableReply('createPayout', 'reply 200 does not match'),
  ],
])('%s keeps its stack', (_what, error) => {
  expect(logged(error).error['stack']).toContain('log.test.ts');
});

test('an error that has a failure of the provider as its cause keeps its own stack only', () => {
  const cause = new OutcomeUnknown('createPayout', 'answered 500', { status: 500 });
  const { error } = logged(new Error('the page failed', { cause }));
  expect(error['stack']).toContain('log.test.ts');
  expect(error['cause']).toEqual({ type: 'OutcomeUnknown', message: 'createPayout: answered 500' });
});
