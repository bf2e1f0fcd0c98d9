// Writes docs/asvs.md from docs/asvs.csv: how the service meets OWASP ASVS 5.0, levels 1 and 2, and the API Security Top 10.
import { readFileSync } from 'node:fs';
import { recordsOf } from './csv.ts';

export type Requirement = {
  /** The number in the standard, such as `1.2.4`; `API1` to `API10` for the API Security Top 10. */
  id: string;
  /** Empty for the API Security Top 10. */
  level: string;
  /** The requirement in our words; empty if the verdict is `not applicable`. */
  requirement: string;
  verdict: string;
  how: string;
  /** Tests (`api/ids`, or `api/ids: title`) and documents (a path from docs/). */
  evidence: string[];
};

const chapters: Record<string, string> = {
  1: 'Encoding and sanitisation',
  2: 'Validation and business logic',
  3: 'Web front ends',
  4: 'API and web service',
  5: 'File handling',
  6: 'Authentication',
  7: 'Sessions',
  8: 'Authorisation',
  9: 'Self-contained tokens',
  10: 'OAuth and OpenID Connect',
  11: 'Cryptography',
  12: 'Communication',
  13: 'Configuration',
  14: 'Data protection',
  15: 'Coding and architecture',
  16: 'Logging and errors',
  17: 'WebRTC',
};

const NOT_APPLICABLE = 'not applicable';

const introduction = `<!-- Generated from docs/asvs.csv by scripts/generate.ts; change that, not this. -->
# OWASP standards

For security reviewers: how does the service meet each requirement of levels 1 and 2 of the
[OWASP ASVS 5.0](https://github.com/OWASP/ASVS/tree/v5.0.0_release/5.0/en) and each risk of the API Security Top 10 (2023), and which test
shows it? The requirements are in our own words.
[security.md](security.md) describes the threats and defences. [asvs.csv](asvs.csv) also has the titles of the tests.

| Verdict | Meaning |
|---|---|
| holds | the tests named as evidence show it |
| written | the standard requires a document; the evidence links to it |
| outside | the environment of the service must provide it |
| no | the service does not do it, for the reason given |
`;

export function requirements(): Requirement[] {
  const text = readFileSync(new URL('../docs/asvs.csv', import.meta.url), 'utf8');
  return recordsOf(text).map(
    ([id = '', level = '', requirement = '', verdict = '', how = '', evidence = '']) => ({
      id,
      level,
      requirement,
      verdict,
      how,
      evidence: evidence === '' ? [] : evidence.split(' | '),
    }),
  );
}

/** A document has a file extension, a test has none. */
export const isDocument = (evidence: string): boolean => /^[\w./-]+\.(md|yaml)(#[\w-]+)?$/.test(evidence);

/** Splits `api/ids: title` into the name of the test file and the title, if there is one. */
export function testIn(evidence: string): { name: string; title?: string } {
  const [, name = '', title] = /^(?<name>[\w/-]+)(?:: (?<title>.+))?$/.exec(evidence) ?? [];
  return title === undefined ? { name } : { name, title };
}

export function asvsPage(): string {
  const all = requirements();
  const applicable = all.filter(({ verdict }) => verdict !== NOT_APPLICABLE);
  const sections = Object.entries(chapters).flatMap(([number, title]) => {
    const rows = applicable.filter(({ id }) => id.startsWith(`${number}.`));
    return rows.length === 0 ? [] : [chapterOf(`V${number} ${title}`, rows)];
  });
  const topTen = all.filter(({ id }) => id.startsWith('API'));
  return [
    introduction,
    ...sections,
    notApplicable(all),
    chapterOf('API Security Top 10 (2023)', topTen),
  ].join('\n');
}

const chapterOf = (title: string, rows: Requirement[]): string => `## ${title}

| Id | Level | Requirement | Verdict | How | Evidence |
|---|---|---|---|---|---|
${rows.map(rowOf).join('\n')}
`;

const rowOf = ({ id, level, requirement, verdict, how, evidence }: Requirement): string =>
  `| ${[id, level, requirement, verdict, how, evidenceOf(evidence)].join(' | ')} |`;

/** Links each file once. The titles of the tests stay in docs/asvs.csv. */
const evidenceOf = (evidence: string[]): string =>
  [...new Set(evidence.map((one) => linkTo(isDocument(one) ? one : testIn(one).name)))].join(', ');

const linkTo = (name: string): string =>
  isDocument(name) ? `[${name.replace('../', '')}](${name})` : `[${name}](../test/${name}.test.ts)`;

/** The requirements that do not apply, grouped by the reason. */
function notApplicable(all: Requirement[]): string {
  const ids = new Map<string, string[]>();
  for (const { id, verdict, how } of all)
    if (verdict === NOT_APPLICABLE) ids.set(how, [...(ids.get(how) ?? []), id]);
  const rows = [...ids].map(([how, each]) => `| ${each.join(', ')} | ${how} |`);
  return `## What does not apply\n\n| Ids | The service has |\n|---|---|\n${rows.join('\n')}\n`;
}
