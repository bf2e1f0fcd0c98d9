// The changelog has the form of Keep a Changelog, and its newest version is the one that is everywhere.
import { describe, expect, it } from 'vitest';
import { documentText } from './markdown.ts';

const text = documentText('CHANGELOG.md');
const headings = [...text.matchAll(/^## (?<heading>.+)$/gm)].map(
  ({ groups = {} }) => groups['heading'] ?? '',
);
const newest = /^\[(?<version>\d+\.\d+\.\d+)\] - \d{4}-\d{2}-\d{2}$/.exec(headings[1] ?? '')?.groups?.[
  'version'
];

it('begins with what is unreleased, and dates every version', () => {
  expect(headings[0]).toBe('[Unreleased]');
  for (const heading of headings.slice(1)) expect(heading).toMatch(/^\[\d+\.\d+\.\d+\] - \d{4}-\d{2}-\d{2}$/);
});

it('groups changes by the words of the form', () => {
  const groups = [...text.matchAll(/^### (?<group>.+)$/gm)].map(({ groups: { group = '' } = {} }) => group);
  const allowed = new Set(['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security']);
  expect(groups.filter((group) => !allowed.has(group))).toEqual([]);
});

describe('the newest version is that of', () => {
  it.each(['package.json', 'packages/client/package.json', 'package-lock.json'])('%s', (file) => {
    expect((JSON.parse(documentText(file)) as { version: string }).version).toBe(newest);
  });

  it('the contract', () => {
    const { info } = JSON.parse(documentText('openapi/generated/openapi.json')) as {
      info: { version: string };
    };
    expect(info.version).toBe(newest);
  });
});
