// Repeatable chance: a number for each question, always the same for the same question.
import { hash } from 'node:crypto';

/** From 0 up to but not 1, evenly spread over questions. */
export function chance(...question: (string | number)[]): number {
  return Number.parseInt(hash('sha256', question.join('/')).slice(0, 12), 16) / 2 ** 48;
}
