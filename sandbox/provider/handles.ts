// Safe repeats: the same content under a handle is the same request, other content is a conflict.
import { refuse } from './refusal.ts';

/** The content of a creation as comparable text. Where callbacks go is not content: addresses are rotated. */
export function contentOf(body: object): string {
  return JSON.stringify(sorted({ ...body, callback_url: undefined }));
}

/** True when the handle is free; throws when it was used for something else. */
export function isFree(existing: { content: string } | undefined, content: string): existing is undefined {
  if (existing && existing.content !== content)
    throw refuse('origin_id_conflict', 'this handle was used with other content');
  return existing === undefined;
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, item]) => [name, sorted(item)]));
}
