// The licences of installed packages. Fewer licences are allowed in distributed packages than in developers' tools.
import parse, { type Info as Expression } from 'spdx-expression-parse';

/** A package as `npm query` prints it: its package.json and its place. */
export type Installed = {
  name: string;
  version: string;
  location: string;
  license?: unknown;
  licenses?: unknown;
};

/** Licences under which code may be distributed as long as their text goes with it. */
const permissive = [
  'MIT',
  'ISC',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'Unlicense',
  // Licences of code that was taken from Python long ago. They also require a list of changes.
  'Python-2.0',
  'PSF-2.0',
];

/** These licences also cover tools and data that are neither changed nor distributed. */
const forTools = [...permissive, 'MPL-2.0', 'CC-BY-3.0', 'CC-BY-4.0'];

/** Packages whose package.json names no licence of the SPDX list, with the licence of their LICENSE file. */
const corrected: Record<string, string> = { 'htmx.org@4.0.1': '0BSD' };

/** @param distributed the places of the packages that production installs, or that a generated script contains. */
export function faultsInLicences(packages: Installed[], distributed: ReadonlySet<string>): string[] {
  return packages.flatMap(({ name, version, location, license, licenses }) => {
    const label = `${name}@${version}`;
    const text = corrected[label] ?? textOf(license) ?? textOf(licenses) ?? 'none';
    const list = distributed.has(location) ? permissive : forTools;
    const use = distributed.has(location) ? 'what is distributed' : 'tools';
    return isAllowed(text, list) ? [] : [`${label}: the licence ${text} is not on the list for ${use}`];
  });
}

/** Reads the forms of a licence that were used over the years: a text, `{ type }`, and a list of either, which offers a choice. */
function textOf(declared: unknown): string | undefined {
  if (typeof declared === 'string') return declared;
  if (Array.isArray(declared)) return declared.map(textOf).join(' OR ') || undefined;
  if (typeof declared === 'object' && declared !== null && 'type' in declared) return textOf(declared.type);
  return undefined;
}

/** @returns false also for a text that is not an SPDX expression. */
export function isAllowed(text: string, licences: readonly string[]): boolean {
  try {
    return isEnough(parse(text), licences);
  } catch {
    return false;
  }
}

/** `MIT+` and `MIT WITH ...` are other licences than MIT. */
function isEnough(expression: Expression, licences: readonly string[]): boolean {
  if (!('conjunction' in expression)) {
    const { license, plus, exception } = expression;
    return licences.includes(license) && plus !== true && exception === undefined;
  }
  const left = isEnough(expression.left, licences);
  const right = isEnough(expression.right, licences);
  return expression.conjunction === 'and' ? left && right : left || right;
}
