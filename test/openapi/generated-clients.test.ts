// Types that client teams generate from the served document compile in a strict client, and contain only text.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import ts from 'typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBareApi } from '../support/bare-api.ts';

const consumer = resolve(import.meta.dirname, 'client/consumer.ts');
const types = resolve(import.meta.dirname, '../../openapi/generated/openapi.ts');
const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2024,
  module: ts.ModuleKind.NodeNext,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  types: ['node'],
};

let api: Awaited<ReturnType<typeof startBareApi>>;
let document: OpenAPI3;
let generated: string;

beforeAll(async () => {
  api = await startBareApi(() => undefined);
  document = (await (await fetch(`${api.url}/openapi.json`)).json()) as OpenAPI3;
  const tree = await openapiTS(document, { rootTypes: true, rootTypesNoSchemaPrefix: true });
  generated = astToString(tree);
});
afterAll(() => api.stop());

test('a strict client compiles with the types generated from the served document', () => {
  const host = ts.createCompilerHost(options);
  const fromDisk = host.getSourceFile.bind(host);
  host.getSourceFile = (file, ...rest) =>
    resolve(file) === types
      ? ts.createSourceFile(file, generated, ts.ScriptTarget.ES2024)
      : fromDisk(file, ...rest);
  const program = ts.createProgram([consumer], options, host);
  const faults = ts.getPreEmitDiagnostics(program);
  expect(ts.formatDiagnostics(faults, host)).toBe('');
  expect(program.getSourceFile(types)?.text).toBe(generated);
});

// Generators put names, patterns and descriptions into source text, and some of them undo escapes.
test('generated files and their sources neither contain nor spell out a control character', () => {
  const files = ['openapi.ts', 'openapi.json', 'provider.ts', 'provider.json'].map((name) =>
    readFileSync(resolve(types, '..', name), 'utf8'),
  );
  for (const text of [...files, generated]) {
    expect(text).not.toMatch(/(?!\n)\p{Cc}/u);
    expect(text).not.toMatch(/\\u00[01][0-9a-f]/i);
  }
});

test('the document stays OpenAPI 3.0.3, because not every generator reads later versions', () => {
  expect(document.openapi).toBe('3.0.3');
});

test('the callback can be excluded by its mark, or by a tag that no other operation has', () => {
  const operations = Object.values(document.paths ?? {}).flatMap((item) =>
    Object.values(item as Record<string, { operationId: string; tags: string[]; 'x-internal'?: boolean }>),
  );
  const internal = operations.filter((operation) => operation['x-internal'] === true);
  const tagged = operations.filter(({ tags }) => tags.includes('Webhooks'));
  expect(internal.map(({ operationId }) => operationId)).toEqual(['receiveProviderWebhook']);
  expect(tagged).toEqual(internal);
});

test('every server of the document has a name', () => {
  const names = (document.servers ?? []).map(({ description }) => description);
  expect(names).toHaveLength(3);
  for (const name of names) expect(name).toMatch(/\w/);
});
