// Repeatable random numbers: the same question always gives the same number.
import { hash } from 'node:crypto';

/** Returns a number from 0 (inclusive) to 1 (exclusive), evenly distributed over questions. */
export function chance(...question: (string | number)[]): number {
  return Number.parseInt(hash('sha256', question.join('/')).slice(0, 12), 16) / 2 ** 48;
}
