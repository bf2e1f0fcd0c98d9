// Safe repetition: the same content under a handle is the same request, and different content is a conflict.
import { isFindable } from '../faults/vanished.ts';
import type { World } from '../world.ts';
import type { Call } from './operation.ts';
import { refuse } from './refusal.ts';

/** The content of a creation as comparable text, without the callback address, which is rotated. */
export function contentOf(body: object): string {
  return JSON.stringify(sorted({ ...body, callback_url: undefined }));
}

/**
 * Decides about a creation under a handle. `existing` is the object that has the handle. The result is that object, or that a new
 * object becomes its twin, or that the handle is free.
 * @throws a refusal if the handle was used with different content.
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
