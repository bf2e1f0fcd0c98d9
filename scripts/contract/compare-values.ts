// Compares the values that a schema allows before and after: its type, null, enumerations and bounds.
import type { Changes } from './changes.ts';
import { compareOthers } from './compare-others.ts';
import type { Schema } from './document.ts';

export type Direction = 'sent' | 'answered';

/** The place of a schema: an operation or a named schema, and the words for the part of it. */
export type Place = { where: string; part: string };

type Both = { former: Schema; present: Schema };

/** Each bound, and whether a greater number allows less. */
const bounds = {
  minimum: true,
  minLength: true,
  minItems: true,
  maximum: false,
  maxLength: false,
  maxItems: false,
} as const;

/** The keywords of a schema that this file or the comparison of shapes handles. */
const judged = [
  ...Object.keys(bounds),
  '$ref',
  'type',
  'format',
  'nullable',
  'enum',
  'pattern',
  'default',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'oneOf',
  'anyOf',
  'allOf',
];

export function compareValues(
  direction: Direction,
  { where, part }: Place,
  both: Both,
  changes: Changes,
): void {
  const { former, present } = both;
  const subject = part === '' ? 'it' : part;
  // Narrower requests break the clients that send them, and wider answers break the clients that read them.
  const narrowed = direction === 'sent' ? 'breaking' : 'compatible';
  const widened = direction === 'answered' ? 'breaking' : 'compatible';

  for (const keyword of ['type', 'format'] as const) {
    if (former[keyword] === present[keyword]) continue;
    changes.breaking(
      where,
      `${subject} has the ${keyword} \`${present[keyword]}\`, not \`${former[keyword]}\``,
    );
  }
  if (!former.nullable && present.nullable) changes[widened](where, `${subject} can be null`);
  if (former.nullable && !present.nullable) changes[narrowed](where, `${subject} is never null`);
  compareEnumerations(where, subject, both, { changes, widened });
  comparePatterns(where, subject, both, { changes, narrowed, widened });
  for (const [bound, isLower] of Object.entries(bounds) as [keyof typeof bounds, boolean][]) {
    const none = isLower ? -Infinity : Infinity;
    const [was, is] = [former[bound] ?? none, present[bound] ?? none];
    if (was === is) continue;
    const isNarrower = isLower ? is > was : is < was;
    const what = `\`${bound}\` of ${subject} became ${present[bound] ?? 'unlimited'}`;
    changes[isNarrower ? narrowed : widened](where, what);
  }
  if (JSON.stringify(former.default) !== JSON.stringify(present.default))
    changes.breaking(where, `${subject} has another default`);
  compareOthers({ where, subject, compared: judged }, former, present, changes);
}

type Verdict = 'breaking' | 'compatible';

/**
 * Compares patterns. A changed pattern counts as breaking, because no rule decides whether one pattern allows more than another.
 */
function comparePatterns(
  where: string,
  subject: string,
  { former, present }: Both,
  { changes, narrowed, widened }: { changes: Changes; narrowed: Verdict; widened: Verdict },
): void {
  if (former.pattern === present.pattern) return;
  if (former.pattern === undefined) changes[narrowed](where, `${subject} has a pattern`);
  else if (present.pattern === undefined) changes[widened](where, `${subject} has no pattern any more`);
  else changes.breaking(where, `${subject} has another pattern`);
}

/**
 * Compares enumerations. By the contract (What may change), an answer may have new values at any time. A removed value breaks an
 * app that sends it or that depends on it.
 */
function compareEnumerations(
  where: string,
  subject: string,
  { former, present }: Both,
  { changes, widened }: { changes: Changes; widened: Verdict },
): void {
  if (former.enum === undefined && present.enum !== undefined)
    changes.breaking(where, `${subject} became an enumeration`);
  if (former.enum !== undefined && present.enum === undefined)
    changes[widened](where, `${subject} is no longer an enumeration`);
  if (former.enum === undefined || present.enum === undefined) return;
  for (const value of former.enum)
    if (!present.enum.includes(value))
      changes.breaking(where, `${subject} can no longer be \`${String(value)}\``);
  for (const value of present.enum)
    if (!former.enum.includes(value)) changes.compatible(where, `${subject} can be \`${String(value)}\``);
}
