// Chance that can be repeated: a number for each question, the same whenever the same question is asked.
import { hash } from 'node:crypto';

/** From 0 up to but not 1, evenly spread over questions. */
export function chance(...question: (string | number)[]): number {
  return Number.parseInt(hash('sha256', question.join('/')).slice(0, 12), 16) / 2 ** 48;
}
