// Whatever the other comparisons do not know: a difference that nobody has judged to be harmless breaks clients.
import { isDeepStrictEqual } from 'node:util';
import type { Changes } from './changes.ts';

/** Words for people: no client depends on them. */
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
  /** The words for what is compared. */
  subject: string;
  /** The keywords that another comparison judges. */
  known: readonly string[];
};

/** Names each further keyword that differs. */
export function compareOthers(
  { where, subject, known }: Compared,
  former: object,
  present: object,
  changes: Changes,
): void {
  const [before, after] = [new Map(Object.entries(former)), new Map(Object.entries(present))];
  for (const keyword of new Set([...before.keys(), ...after.keys()])) {
    if (WORDS.has(keyword) || known.includes(keyword)) continue;
    if (!isDeepStrictEqual(unworded(before.get(keyword)), unworded(after.get(keyword))))
      changes.breaking(where, `\`${keyword}\` of ${subject} changed`);
  }
}

/** The value without the words in it. */
function unworded(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unworded);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) => (WORDS.has(key) ? [] : [[key, unworded(one)]])),
  );
}
