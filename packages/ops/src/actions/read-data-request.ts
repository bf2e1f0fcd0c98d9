// Prints the notes of a data subject's request. Reading them is audited like a change.
import { readRequestNotes } from '../../../../src/privacy/answer-data-request.ts';
import type { CommandCall, CommandSpec } from '../command.ts';
import { notFound } from './close-data-request.ts';

export const dataRequestsReadCommand: CommandSpec = {
  name: 'data-requests read',
  summary: 'the notes that the person wrote with a request',
  argument: { name: 'requestId', form: 'uuid' },
  run,
};

async function run({ app, out, argument: id, operator, reason }: CommandCall): Promise<void> {
  const notes = await readRequestNotes(app, id, { operator, reason }).catch(notFound);
  if (out.isJson) return out.json({ id, notes });
  // Notes may contain control characters, which a terminal would interpret.
  out.print(
    notes?.replaceAll(/[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, ' ') ??
      'The request has no notes.',
  );
}
