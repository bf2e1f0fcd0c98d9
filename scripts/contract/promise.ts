// Checks the promise to client teams: a change that breaks an app is announced in the changelog and has a version that says so.
import { isDeepStrictEqual } from 'node:util';
import { diff } from 'semver';
import type { Change } from './changes.ts';
import { compareContracts } from './compare.ts';
import type { Contract } from './document.ts';

/** Returns a sentence for each broken promise. Empty if there is none. */
export function brokenPromises(releases: Contract[], present: Contract, changelog: string): string[] {
  const newest = releases.at(-1);
  if (newest?.info.version !== present.info.version)
    return [
      `openapi/released/${present.info.version}.json is missing: a release keeps its document (see CONTRIBUTING.md).`,
    ];
  const steps = releases.slice(1).map((release, index) => ({ before: releases[index], after: release }));
  const unreleased = sectionOf(changelog, 'Unreleased');
  return [
    ...steps.flatMap(({ before, after }) => (before ? faultsOfRelease(before, after, changelog) : [])),
    ...unannounced(breakingChanges(newest, present), unreleased, 'Unreleased'),
    ...(hasEntries(unreleased) ? [] : releasedUnder(newest, present)),
  ];
}

/** If nothing is unreleased, apps receive the current contract as the newest version. */
const releasedUnder = (newest: Contract, present: Contract): string[] =>
  isDeepStrictEqual(newest, present)
    ? []
    : [
        `The contract differs from openapi/released/${newest.info.version}.json: a changed contract needs a version of its own.`,
      ];

const hasEntries = (section: string): boolean => /^- /m.test(section);

function faultsOfRelease(before: Contract, after: Contract, changelog: string): string[] {
  const { version } = after.info;
  const broken = breakingChanges(before, after);
  const faults = unannounced(broken, sectionOf(changelog, version), version);
  if (broken.length > 0 && !isMajor(before.info.version, version))
    faults.push(
      `${version} breaks clients of ${before.info.version} but is not a major version (under 0.x: a minor one).`,
    );
  return faults;
}

const breakingChanges = (before: Contract, after: Contract): Change[] =>
  compareContracts(before, after).filter(({ isBreaking }) => isBreaking);

/**
 * Whether the version may break apps. Semantic Versioning allows 0.x to break at any time; here such a change needs the next minor
 * number.
 */
function isMajor(before: string, after: string): boolean {
  const step = diff(before, after);
  return step === 'major' || (step === 'minor' && before.startsWith('0.'));
}

const unannounced = (changes: Change[], section: string, version: string): string[] =>
  changes
    .filter(({ where }) => !announcedIn(section).some((entry) => entry.includes(`\`${where}\``)))
    .map(
      ({ where, what }) =>
        `${where}: ${what}. This breaks clients, and "${version}" in CHANGELOG.md has no entry "- **Breaking**: ..." that names \`${where}\`.`,
    );

/** Returns the text below a version's heading, up to the next heading. */
const sectionOf = (changelog: string, version: string): string =>
  changelog.split(/^## /m).find((section) => section.startsWith(`[${version}]`)) ?? '';

const announcedIn = (section: string): string[] =>
  section.split(/^(?:- |#)/m).filter((entry) => entry.startsWith('**Breaking**'));
