// Checks that every package's licence is on the list, in production and in development. The installed package counts as well as the
// lock file: if they declare different licences, both must be allowed.
import { type LicenceException, licenceExceptions, licencesFor } from './policy.ts';
import { type Finding, labelOf, type Manifest, type Package, type Project } from './project.ts';
import { isAllowed, parseLicence } from './spdx.ts';

type Policy = {
  for: typeof licencesFor;
  exceptions: Readonly<Record<string, LicenceException>>;
};

export function checkLicences(
  { packages, installed }: Project,
  policy: Policy = { for: licencesFor, exceptions: licenceExceptions },
): Finding {
  const faults = new Set<string>();
  const labels = new Set(packages.map(labelOf));
  for (const one of packages) {
    const label = labelOf(one);
    const use = one.isHandedOn ? 'production' : 'development';
    const list = policy.for[use];
    const exception = policy.exceptions[label];
    const declared = exception ? [exception.licence] : licencesOf(one, installed(one.place));
    if (declared.length === 0) faults.add(`${label} declares no licence`);
    for (const text of declared) {
      const expression = parseLicence(text);
      if (expression === null) faults.add(`${label}: "${text}" is no licence expression`);
      else if (!isAllowed(expression, list)) faults.add(`${label}: ${text} is not on the list for ${use}`);
    }
  }
  for (const [label, { why }] of Object.entries(policy.exceptions)) {
    if (!labels.has(label)) faults.add(`the exception for ${label} is not needed any more`);
    if (why.trim() === '') faults.add(`the exception for ${label} gives no reason`);
  }
  return { said: `${labels.size} packages, each under a licence on the list`, faults: [...faults] };
}

/** Returns every licence text that the lock file and the package's manifest declare. */
export function licencesOf(entry: Package, manifest: Manifest | null): string[] {
  const texts = [entry.license, manifest?.license, manifest?.licenses].map(textOf);
  return [...new Set(texts.filter((text) => text !== null))];
}

/** Reads the forms of a licence that were used over the years: a text, `{ type }`, and a list of either, which offers a choice. */
function textOf(declared: unknown): string | null {
  if (typeof declared === 'string') return declared;
  if (Array.isArray(declared)) {
    const texts = declared.map(textOf).filter((text) => text !== null);
    return texts.length > 0 ? texts.join(' OR ') : null;
  }
  if (typeof declared === 'object' && declared !== null && 'type' in declared) return textOf(declared.type);
  return null;
}
