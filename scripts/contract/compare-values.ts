// Which values a schema allows, before and after: its type, null, enumerations and bounds.
import type { Changes } from './changes.ts';
import type { Schema } from './document.ts';

export type Direction = 'sent' | 'answered';

/** Where a schema stands: an operation or a named schema, and the words for the part of it. */
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

export function compareValues(
  direction: Direction,
  { where, part }: Place,
  both: Both,
  changes: Changes,
): void {
  const { former, present } = both;
  const subject = part === '' ? 'it' : part;
  // Narrower requests break who sends them, wider answers who reads them.
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
  compareEnumerations(where, subject, both, { changes, narrowed });
  // Whether one pattern allows more than another cannot be told, so a change counts as narrower; none counts as wider.
  if (former.pattern !== present.pattern)
    changes[present.pattern === undefined ? 'compatible' : narrowed](where, `${subject} has another pattern`);
  for (const [bound, isLower] of Object.entries(bounds) as [keyof typeof bounds, boolean][]) {
    const none = isLower ? -Infinity : Infinity;
    const [was, is] = [former[bound] ?? none, present[bound] ?? none];
    if (was === is) continue;
    const isNarrower = isLower ? is > was : is < was;
    const what = `\`${bound}\` of ${subject} became ${present[bound] ?? 'unlimited'}`;
    changes[isNarrower ? narrowed : 'compatible'](where, what);
  }
  if (JSON.stringify(former.default) !== JSON.stringify(present.default))
    changes[narrowed](where, `${subject} has another default`);
}

/** An answer may have new values at any time, as the contract says (What may change). */
function compareEnumerations(
  where: string,
  subject: string,
  { former, present }: Both,
  { changes, narrowed }: { changes: Changes; narrowed: 'breaking' | 'compatible' },
): void {
  if (former.enum === undefined && present.enum !== undefined)
    changes[narrowed](where, `${subject} became an enumeration`);
  if (former.enum !== undefined && present.enum === undefined)
    changes.compatible(where, `${subject} is no longer an enumeration`);
  if (former.enum === undefined || present.enum === undefined) return;
  for (const value of former.enum)
    if (!present.enum.includes(value))
      changes[narrowed](where, `${subject} can no longer be \`${String(value)}\``);
  for (const value of present.enum)
    if (!former.enum.includes(value)) changes.compatible(where, `${subject} can be \`${String(value)}\``);
}
