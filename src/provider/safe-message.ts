// Decides what is stored of an error for operators. Only our own messages are stored: those of libraries may quote personal values.
import { OutcomeUnknown } from './errors.ts';

/** Returns the message of an unknown outcome. Of any other error it returns only the name. */
export function safeMessageOf(error: unknown): string {
  if (error instanceof OutcomeUnknown) return error.message;
  return error instanceof Error ? error.name : 'unknown';
}
