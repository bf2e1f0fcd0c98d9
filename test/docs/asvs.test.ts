// docs/asvs.csv has every requirement of the standard once, and every test and document that it names exists.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { asvsPage, isDocument, type Requirement, requirements, testIn } from '../../scripts/asvs.ts';
import { level1, level2 } from './asvs.ts';
import { anchorsIn, documentText, inProject } from './markdown.ts';

const all = requirements();
/** The requirements of the ASVS, without the API Security Top 10. */
const standard = all.filter(({ level }) => level !== '');
const evidence = all.flatMap((requirement) =>
  requirement.evidence.map((one) => ({ id: requirement.id, one })),
);

/** Each verdict must name its evidence: tests, a document, or a reason. */
const isAnswered: Record<string, (requirement: Requirement) => boolean> = {
  holds: ({ requirement, evidence: each }) => requirement !== '' && each.some((one) => !isDocument(one)),
  written: ({ requirement, evidence: each }) => requirement !== '' && each.some(isDocument),
  outside: ({ requirement, how }) => requirement !== '' && how.length > 5,
  no: ({ requirement, how }) => requirement !== '' && how.length > 5,
  'not applicable': ({ how, requirement, evidence: none }) => how.length > 5 && requirement + none === '',
};

test('docs/asvs.md is what scripts/asvs.ts makes of docs/asvs.csv', () => {
  expect(documentText('docs/asvs.md')).toBe(asvsPage());
});

describe('the requirements', () => {
  test('the table has each number of the standard once, and no other', () => {
    expect(standard.map(({ id }) => id).toSorted()).toEqual([...level1, ...level2].toSorted());
  });

  test('each requirement has the level of the standard', () => {
    expect(standard.filter(({ id, level }) => level !== (level1.has(id) ? '1' : '2'))).toEqual([]);
  });

  test('the table has the ten risks of APIs once each', () => {
    const risks = all.filter(({ level }) => level === '').map(({ id }) => id);
    expect(risks).toEqual(Array.from({ length: 10 }, (_risk, index) => `API${index + 1}`));
  });

  test.each(all)('$id $requirement: $verdict', (requirement) => {
    expect(Object.keys(isAnswered)).toContain(requirement.verdict);
    expect(isAnswered[requirement.verdict]?.(requirement)).toBe(true);
  });
});

describe('the evidence', () => {
  test('the table has more than 250 pieces of evidence', () => {
    expect(evidence.length).toBeGreaterThan(250);
  });

  test.each(evidence.filter(({ one }) => isDocument(one)))('$id: the document $one exists', ({ one }) => {
    const [file = '', anchor = ''] = one.split('#');
    const document = path.posix.join('docs', file);
    expect(existsSync(inProject(document))).toBe(true);
    expect(['', ...anchorsIn(documentText(document))]).toContain(anchor);
  });

  test.each(evidence.filter(({ one }) => !isDocument(one)))('$id: the test $one exists', ({ one }) => {
    const { name, title } = testIn(one);
    const file = `test/${name}.test.ts`;
    expect([name, existsSync(inProject(file))]).toEqual([name, true]);
    const source = documentText(file);
    expect(title === undefined || source.includes(`'${title}'`) || source.includes(`"${title}"`)).toBe(true);
  });
});
