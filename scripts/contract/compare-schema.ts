// Compares a schema before and after. Values that a client sends must stay allowed, and values that it receives must stay within
// its expectations.
import { type Changes, matched } from './changes.ts';
import { compareValues, type Direction, type Place } from './compare-values.ts';
import { type Contract, nameOf, resolved, type Schema } from './document.ts';

export type CompareSchemas = (
  direction: Direction,
  place: Place,
  former: Schema | undefined,
  present: Schema | undefined,
) => void;

/** Creates the comparison. A schema with a name is compared once for each direction, under its name, not once for each use. */
export function createSchemaComparison(before: Contract, after: Contract, changes: Changes): CompareSchemas {
  const compared = new Set<string>();

  const compare: CompareSchemas = (direction, place, former, present) => {
    if (former === undefined || present === undefined) {
      if (former !== present) changes.breaking(place.where, `${place.part} has another schema`);
      return;
    }
    const name = nameOf(former);
    const isNamed = name !== undefined && name === nameOf(present);
    // An app imports the type by its name.
    if (name !== undefined && !isNamed)
      changes.breaking(place.where, `${place.part} is no longer a \`${name}\``);
    const key = `${direction} ${name} ${nameOf(present)}`;
    if (name !== undefined && compared.has(key)) return;
    if (name !== undefined) compared.add(key);
    compareShapes(
      { direction, changes, compare: (...schemas) => compare(direction, ...schemas) },
      isNamed ? { where: name, part: '' } : place,
      resolved(before, former),
      resolved(after, present),
    );
  };

  return compare;
}

type Comparison = {
  direction: Direction;
  changes: Changes;
  compare: (place: Place, former: Schema | undefined, present: Schema | undefined) => void;
};

function compareShapes(comparison: Comparison, place: Place, former: Schema, present: Schema): void {
  const { direction, changes, compare } = comparison;
  compareValues(direction, place, { former, present }, changes);
  compareProperties(comparison, place, former, present);
  if (former.items || present.items)
    compare({ ...place, part: `an element of ${place.part || 'it'}` }, former.items, present.items);
  for (const keyword of ['oneOf', 'anyOf', 'allOf'] as const)
    compareVariants(keyword, comparison, place, former[keyword], present[keyword]);
  compareOpenness(comparison, place, former, present);
}

function compareProperties(comparison: Comparison, place: Place, former: Schema, present: Schema): void {
  const { direction, changes, compare } = comparison;
  const partOf = (property: string): string =>
    place.part === '' ? `\`${property}\`` : `\`${property}\` of ${place.part}`;
  const properties = matched(former.properties, present.properties);
  for (const [property] of properties.gone) changes.breaking(place.where, `${partOf(property)} was removed`);
  for (const [property] of properties.added) {
    const isRequired = direction === 'sent' && present.required?.includes(property);
    if (isRequired) changes.breaking(place.where, `${partOf(property)} was added and is required`);
    else changes.compatible(place.where, `${partOf(property)} was added`);
  }
  for (const property of undeclared(present).filter((one) => !former.required?.includes(one)))
    changes.breaking(place.where, `${partOf(property)} became required`);
  for (const [property, one, other] of properties.kept) {
    const was = former.required?.includes(property) ?? false;
    const is = present.required?.includes(property) ?? false;
    // A newly required property breaks a client that sends the schema. A property that is not always answered any more breaks a
    // client that reads it.
    const isBreaking = direction === 'sent' ? is : was;
    if (was !== is)
      changes[isBreaking ? 'breaking' : 'compatible'](
        place.where,
        `${partOf(property)} became ${is ? 'required' : 'optional'}`,
      );
    compare({ ...place, part: partOf(property) }, one, other);
  }
}

function compareVariants(
  keyword: 'oneOf' | 'anyOf' | 'allOf',
  comparison: Comparison,
  place: Place,
  former: Schema[] = [],
  present: Schema[] = [],
): void {
  const { direction, changes, compare } = comparison;
  if (keyword === 'allOf') return compareParts(comparison, place, former, present);
  const variants = matched(byName(former), byName(present));
  const subject = place.part || 'it';
  for (const [name] of variants.gone)
    changes[direction === 'sent' ? 'breaking' : 'compatible'](
      place.where,
      `${subject} can no longer be \`${name}\``,
    );
  // A decoder knows no other variants, even if it accepts unknown values of an enumeration.
  for (const [name] of variants.added)
    changes[direction === 'answered' ? 'breaking' : 'compatible'](
      place.where,
      `${subject} can be \`${name}\``,
    );
  for (const [, one, other] of variants.kept) compare(place, one, other);
}

/**
 * Compares the parts that a value satisfies together. A further part narrows what a client may send. Without a part, a client reads
 * less than it expects, and the type that it imports has lost properties.
 */
function compareParts(comparison: Comparison, place: Place, former: Schema[], present: Schema[]): void {
  const { direction, changes, compare } = comparison;
  const parts = matched(byName(former), byName(present));
  const subject = place.part || 'it';
  for (const [name] of parts.gone)
    changes.breaking(place.where, `${subject} is no longer all of \`${name}\``);
  for (const [name] of parts.added)
    changes[direction === 'sent' ? 'breaking' : 'compatible'](
      place.where,
      `${subject} is also all of \`${name}\``,
    );
  for (const [, one, other] of parts.kept) compare(place, one, other);
}

function compareOpenness(comparison: Comparison, place: Place, former: Schema, present: Schema): void {
  const { direction, changes, compare } = comparison;
  const [was, is] = [former.additionalProperties, present.additionalProperties];
  if (typeof was === 'object' || typeof is === 'object') {
    const part = `a further property of ${place.part || 'it'}`;
    compare({ ...place, part }, schemaOf(was), schemaOf(is));
    return;
  }
  const [wasOpen, isOpen] = [was !== false, is !== false];
  if (wasOpen === isOpen || former.type !== 'object') return;
  const what = `${place.part || 'it'} ${isOpen ? 'takes further properties' : 'takes no further properties'}`;
  if (direction === 'sent' && !isOpen) changes.breaking(place.where, what);
  else changes.compatible(place.where, what);
}

/** Required properties that the schema does not describe. */
const undeclared = ({ required = [], properties = {} }: Schema): string[] =>
  required.filter((property) => !(property in properties));

const schemaOf = (further: boolean | Schema | undefined): Schema | undefined =>
  typeof further === 'object' ? further : undefined;

const byName = (variants: Schema[]): Record<string, Schema> =>
  Object.fromEntries(variants.map((variant, index) => [nameOf(variant) ?? `variant ${index + 1}`, variant]));
