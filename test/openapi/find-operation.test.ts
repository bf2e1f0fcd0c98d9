// The search for an operation and the router of openapi-backend give the same result for any request.
import { type Document, OpenAPIBackend } from 'openapi-backend';
import { beforeAll, describe, expect, test } from 'vitest';
import { createFinder } from '../../openapi/find-operation.ts';
import ours from '../../openapi/generated/openapi.json' with { type: 'json' };
import providers from '../../openapi/generated/provider.json' with { type: 'json' };

type Router = OpenAPIBackend['router'];

const methods = ['GET', 'post', 'PATCH', 'DELETE', 'HEAD', 'BREW'];
const values = [
  '0199a3b5-0000-7000-8000-000000000001',
  'a b',
  'a%20b%2Fc',
  '%C3%A9',
  'x.y',
  '__proto__',
  '..',
  '{id}',
];
const odd = [
  '/',
  '//me',
  '/me/',
  '/ME',
  '/meow',
  '/me/transactions',
  '/nowhere/at/all',
  ' /me ',
  '/me?x=1',
  'me',
  '',
];

describe.each([
  ['ours', ours, true],
  ['the provider’s', providers, false],
])('%s', (_whose, contract, ignoreTrailingSlashes) => {
  let router: Router;
  beforeAll(async () => {
    router = await routerOf();
  });
  const routerOf = async (): Promise<Router> => {
    const definition = structuredClone(contract) as unknown as Document;
    const api = new OpenAPIBackend({ definition, quick: true, validate: false, ignoreTrailingSlashes });
    await api.init();
    return api.router;
  };
  const paths = [...Object.keys(contract.paths).flatMap(filled), ...odd];

  test('the search finds the same operation as the router, or none', () => {
    const find = createFinder(router);
    const asked = paths.flatMap((path) => methods.map((method) => ({ method, path, headers: {} })));
    for (const one of asked)
      expect(find(one.method, one.path), `${one.method} ${one.path}`).toEqual(router.matchOperation(one));
    expect(asked.filter((one) => router.matchOperation(one)).length).toBeGreaterThan(20);
  });
});

test('special characters in a path of the contract match only themselves', async () => {
  const operation = { operationId: 'found', responses: { 200: { description: 'Found.' } } };
  const paths = { '/v1.0/a+b/(x)/{id}': { get: operation } };
  const definition: Document = { openapi: '3.0.3', info: { title: 'x', version: '1' }, paths };
  const api = new OpenAPIBackend({ definition, quick: true, validate: false });
  await api.init();
  const find = createFinder(api.router);
  const found = ['/v1.0/a+b/(x)/7', '/v1x0/a+b/(x)/7', '/v1.0/aab/(x)/7', '/v1.0/a+b/x/7'].filter((path) =>
    find('GET', path),
  );
  expect(found).toEqual(['/v1.0/a+b/(x)/7']);
});

/** The path with each of the values in place of its parameters. */
const filled = (path: string): string[] =>
  path.includes('{') ? values.map((value) => path.replaceAll(/\{[^}]+\}/g, value)) : [path];
