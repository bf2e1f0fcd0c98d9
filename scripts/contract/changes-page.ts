// Writes docs/contract-changes.md: what changed in the contract from each release to the next, and since the last release.
import type { Change } from './changes.ts';
import { compareContracts } from './compare.ts';
import type { Contract } from './document.ts';

const introduction = `<!-- Generated from openapi/released/ and the contract by scripts/generate.ts; change the contract, not this. -->
# Changes of the contract

For app developers: what changes for an app from one release to the next? The page compares operations, not descriptions or examples.

A change is **breaking** if the app can fail: something that it calls, sends or reads is gone, has another type, became stricter, or is not
known to be compatible. These changes do not break clients, which must accept them (_What may change_ in the reference): new operations, optional
parameters, response fields, statuses, and values of response enumerations.

\`npm run lint:contract\` refuses a breaking change unless [CHANGELOG.md](../CHANGELOG.md) has an entry that begins with \`- **Breaking**:\`
and names the operation or schema. Such a release takes the next major version or, below 1.0, the next minor version.
`;

/** @param releases from the oldest to the newest. */
export function changesPage(releases: Contract[], present: Contract): string {
  const documents = [...releases, present];
  const sections = documents
    .slice(1)
    .map((after, index) => sectionOf(documents[index] ?? after, after, after === present))
    .toReversed();
  return [introduction, ...sections].join('\n');
}

function sectionOf(before: Contract, after: Contract, isUnreleased: boolean): string {
  const title = isUnreleased ? `Unreleased, since ${before.info.version}` : after.info.version;
  const changes = compareContracts(before, after);
  return `## ${title}\n\n${changes.length === 0 ? 'No change.' : linesOf(changes).join('\n')}\n`;
}

/** A compatible change in more places than this is one line, which names the first of them. */
const MAX_PLACES = 5;

function linesOf(changes: Change[]): string[] {
  const alike = Map.groupBy(
    changes.filter(({ isBreaking }) => !isBreaking),
    ({ what }) => what,
  );
  return changes.flatMap((change) => {
    const { length, 0: first } = alike.get(change.what) ?? [];
    if (change.isBreaking || length <= MAX_PLACES) return [lineOf(change)];
    return change === first ? [`- \`${change.where}\` and ${length - 1} others: ${change.what}`] : [];
  });
}

const lineOf = ({ where, what, isBreaking }: Change): string =>
  `- ${isBreaking ? '**Breaking**: ' : ''}\`${where}\`: ${what}`;
