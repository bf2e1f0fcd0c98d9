// What is kept of an error for operators. Only messages of our own making are: another's may quote the value it failed on.
import { OutcomeUnknown } from './errors.ts';

/** @returns the message of an unknown outcome; of every other error its name alone. */
export function safeMessageOf(error: unknown): string {
  if (error instanceof OutcomeUnknown) return error.message;
  return error instanceof Error ? error.name : 'unknown';
}
