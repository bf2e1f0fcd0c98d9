// docs/operations.md lists every metric of the service, and no other.
import { expect, test } from 'vitest';
import { sourcesIn } from '../support/sources.ts';
import { documentText, rowsIn } from './markdown.ts';

const [, section = ''] = documentText('docs/operations.md').split('| Metric (`ponte_...`)');
const [table = ''] = section.split('\n\n');

test('the page lists every metric that the service exports', () => {
  const listed = rowsIn(table).flatMap(([names = '']) =>
    [...names.matchAll(/`(?<name>\w+)/g)].map(({ groups = {} }) => groups['name'] ?? ''),
  );
  const exported = sourcesIn('src/metrics').flatMap(({ code }) =>
    [...code.matchAll(/['"`]ponte_(?<name>\w+)/g)].map(({ groups = {} }) => groups['name'] ?? ''),
  );
  expect(exported.length).toBeGreaterThan(20);
  expect(listed.toSorted()).toEqual([...new Set(exported)].toSorted());
});
