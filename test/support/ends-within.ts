// The end of something that a test has started. A failure of it is the test's; that it takes too long is said on the error output,
// because what the test shows does not depend on it.
import { settledWithin } from '../../src/time/settled-within.ts';

/** @throws what `ending` is rejected with, within the time. */
export async function endsWithin(ms: number, what: string, ending: Promise<void>): Promise<void> {
  if (await settledWithin(ms, ending)) return ending;
  process.stderr.write(`${what} did not end within ${ms} ms\n`);
}
