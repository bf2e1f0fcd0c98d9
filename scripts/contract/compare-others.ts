// Compares what the other comparisons do not handle: a difference breaks clients, unless it is known to be harmless.
import { isDeepStrictEqual } from 'node:util';
import type { Changes } from './changes.ts';

/** Keywords whose values are texts for people: no client depends on them. */
const WORDS = new Set([
  'description',
  'summary',
  'title',
  'example',
  'examples',
  'externalDocs',
  'deprecated',
]);

export type Compared = {
  where: string;
  /** The words for the compared part. */
  subject: string;
  /** The keywords that another comparison handles. */
  compared: readonly string[];
};

export function compareOthers(
  { where, subject, compared }: Compared,
  former: object,
  present: object,
  changes: Changes,
): void {
  const [before, after] = [new Map(Object.entries(former)), new Map(Object.entries(present))];
  for (const keyword of new Set([...before.keys(), ...after.keys()])) {
    if (WORDS.has(keyword) || compared.includes(keyword)) continue;
    if (!isDeepStrictEqual(unworded(before.get(keyword)), unworded(after.get(keyword))))
      changes.breaking(where, `\`${keyword}\` of ${subject} changed`);
  }
}

function unworded(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unworded);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) => (WORDS.has(key) ? [] : [[key, unworded(one)]])),
  );
}
