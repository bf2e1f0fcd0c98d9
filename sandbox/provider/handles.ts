// Safe repeats: the same content under a handle is the same request, other content is a conflict.
import { isFindable } from '../faults/vanished.ts';
import type { World } from '../world.ts';
import type { Call } from './operation.ts';
import { refuse } from './refusal.ts';

/** The content of a creation as comparable text. Callback addresses are not part of it: they are rotated. */
export function contentOf(body: object): string {
  return JSON.stringify(sorted({ ...body, callback_url: undefined }));
}

/**
 * `existing` is the object of the handle. It is returned, or a new one becomes its twin, or the handle is free. Throws
 * when the handle was used with other content.
 */
export function judgeHandle<Row extends { uuid: string; content: string }>(
  world: World,
  call: Call,
  existing: Row | undefined,
  content: string,
): { known?: Row; twinOf?: Row } {
  if (!existing) return {};
  if (call.twin || !isFindable(world, existing)) return { twinOf: existing };
  if (existing.content !== content)
    throw refuse('origin_id_conflict', 'this handle was used with other content');
  return { known: existing };
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, item]) => [name, sorted(item)]));
}
