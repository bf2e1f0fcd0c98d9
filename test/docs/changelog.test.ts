// The changelog has the form of Keep a Changelog, and its newest version is the one used everywhere.
import { expect, test } from 'vitest';
import { documentText } from './markdown.ts';

const text = documentText('CHANGELOG.md');
const headings = [...text.matchAll(/^## (?<heading>.+)$/gm)].map(
  ({ groups = {} }) => groups['heading'] ?? '',
);
const newest = /^\[(?<version>\d+\.\d+\.\d+)\] - \d{4}-\d{2}-\d{2}$/.exec(headings[1] ?? '')?.groups?.[
  'version'
];

test('the changelog begins with unreleased changes, and dates every version', () => {
  expect(headings[0]).toBe('[Unreleased]');
  for (const heading of headings.slice(1)) expect(heading).toMatch(/^\[\d+\.\d+\.\d+\] - \d{4}-\d{2}-\d{2}$/);
});

test('the changelog groups changes by the headings of Keep a Changelog', () => {
  const groups = [...text.matchAll(/^### (?<group>.+)$/gm)].map(({ groups: { group = '' } = {} }) => group);
  const allowed = new Set(['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security']);
  expect(groups.filter((group) => !allowed.has(group))).toEqual([]);
});

test.each(['package.json', 'packages/client/package.json', 'package-lock.json'])(
  'the newest version of the changelog is that of %s',
  (file) => {
    expect((JSON.parse(documentText(file)) as { version: string }).version).toBe(newest);
  },
);

test('the security policy supports the newest version of the changelog', () => {
  const [major, minor] = newest?.split('.') ?? [];
  expect(documentText('SECURITY.md')).toContain(`| ${major}.${minor}.x        | yes            |`);
});

test('the newest version of the changelog is that of the contract', () => {
  const { info } = JSON.parse(documentText('openapi/generated/openapi.json')) as {
    info: { version: string };
  };
  expect(info.version).toBe(newest);
});
