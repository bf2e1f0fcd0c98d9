// Waits for the end of something that a test started. If ending fails, the test fails. If ending takes too long, only the error
// output says so, because the result of the test does not depend on it.
import { settledWithin } from '../../src/platform/concurrency/settled-within.ts';

/** @throws the error that `ending` is rejected with within the time. */
export async function endsWithin(ms: number, what: string, ending: Promise<void>): Promise<void> {
  if (await settledWithin(ms, ending)) return ending;
  process.stderr.write(`${what} did not end within ${ms} ms\n`);
}
