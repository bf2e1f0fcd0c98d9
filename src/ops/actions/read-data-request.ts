// Opens what a data subject wrote with their request. Looking is recorded, as a change is.
import { readRequestNotes } from '../../privacy/answer-data-request.ts';
import type { Call } from '../command.ts';
import { notFound } from './close-data-request.ts';

export async function run({ app, out, argument: id, operator, reason }: Call): Promise<void> {
  const notes = await readRequestNotes(app, id, { operator, reason }).catch(notFound);
  if (out.isJson) return out.json({ id, notes });
  // What others wrote may hold what a terminal would obey.
  out.print(notes?.replaceAll(/[^\P{Cc}\n\t]/gu, ' ') ?? 'There are no notes.');
}
