// Writes docs/contract-changes.md: what changed in the contract from each release to the next one, and since the last.
import type { Change } from './changes.ts';
import { compareContracts } from './compare.ts';
import type { Contract } from './document.ts';

const introduction = `<!-- Generated from openapi/released/ and the contract by scripts/generate.ts; change the contract, not this. -->
# Changes of the contract

What an app that was written for one release meets in the next, operation by operation. Descriptions and examples are not
compared. A change is **breaking** when such an app can fail: something that it calls, sends or reads is gone, has another type or
became stricter, or no rule knows the change to be compatible. New operations, optional parameters, fields of answers, statuses and
values of enumerations in answers are not breaking: the contract announces them (_What may change_), and clients tolerate them.

\`npm run lint:contract\` refuses a breaking change unless [CHANGELOG.md](../CHANGELOG.md) announces it by an entry that begins with
\`- **Breaking**:\` and names the operation or schema. The release that carries it takes the next major version, or, while versions
begin with 0, the next minor version.
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
  return `## ${title}\n\n${changes.length === 0 ? 'No change.' : changes.map(lineOf).join('\n')}\n`;
}

const lineOf = ({ where, what, isBreaking }: Change): string =>
  `- ${isBreaking ? '**Breaking**: ' : ''}\`${where}\`: ${what}`;
