// The router with compiled patterns and the router of openapi-backend give the same result for any request.
import { type Document, OpenAPIBackend, type OpenAPIRouter, type Request } from 'openapi-backend';
import { beforeAll, describe, expect, test } from 'vitest';
import ours from '../../openapi/generated/openapi.json' with { type: 'json' };
import providers from '../../openapi/generated/provider.json' with { type: 'json' };
import { CompiledRouter } from '../../openapi/router.ts';

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
  let library: OpenAPIBackend;
  beforeAll(async () => {
    const definition = structuredClone(contract) as unknown as Document;
    library = new OpenAPIBackend({ definition, quick: true, validate: false, ignoreTrailingSlashes });
    await library.init();
  });
  const paths = [...Object.keys(contract.paths).flatMap(filled), ...odd];

  test('the router finds the same operation as the router of the library, or none', () => {
    const router = new CompiledRouter(library);
    const requests = paths.flatMap((path) => methods.map((method) => ({ method, path, headers: {} })));
    for (const one of requests) {
      expect(router.matchOperation(one), `${one.method} ${one.path}`).toEqual(library.matchOperation(one));
      expect(strictly(router, one), `${one.method} ${one.path}`).toEqual(strictly(library.router, one));
    }
    expect(requests.filter((one) => library.matchOperation(one)).length).toBeGreaterThan(20);
  });
});

/** The operation of a request, or the error that says why there is none. */
function strictly(router: OpenAPIRouter, request: Request): unknown {
  try {
    return router.matchOperation(request, true);
  } catch (error) {
    return error;
  }
}

test('special characters in a path of the contract match only themselves', async () => {
  const operation = { operationId: 'found', responses: { 200: { description: 'Found.' } } };
  const paths = { '/v1.0/a+b/(x)/{id}': { get: operation } };
  const definition: Document = { openapi: '3.0.3', info: { title: 'x', version: '1' }, paths };
  const api = new OpenAPIBackend({ definition, quick: true, validate: false });
  await api.init();
  const router = new CompiledRouter(api);
  const found = ['/v1.0/a+b/(x)/7', '/v1x0/a+b/(x)/7', '/v1.0/aab/(x)/7', '/v1.0/a+b/x/7'].filter((path) =>
    router.matchOperation({ method: 'GET', path, headers: {} }),
  );
  expect(found).toEqual(['/v1.0/a+b/(x)/7']);
});

/** The path with each of the values in place of its parameters. */
const filled = (path: string): string[] =>
  path.includes('{') ? values.map((value) => path.replaceAll(/\{[^}]+\}/g, value)) : [path];
