// The quick router and the library's own: whatever they are asked, they say the same.
import { type Document, OpenAPIBackend } from 'openapi-backend';
import { beforeAll, describe, expect, it } from 'vitest';
import ours from '../../openapi/generated/openapi.json' with { type: 'json' };
import providers from '../../openapi/generated/provider.json' with { type: 'json' };
import { quicken } from '../../openapi/router.ts';

type Router = OpenAPIBackend['router'];
type Request = Parameters<Router['parseRequest']>[0];

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
const queries: Request['query'][] = [
  {},
  { limit: '5', cursor: 'a,b' },
  { limit: ['5', '6'], reveal: 'true' },
  { external_id: 'x', ['__proto__']: 'y' },
  'limit=5&reveal=true',
];
const headers = [{ 'Content-Type': 'application/json' }, { cookie: 'a=b; c=d' }, { 'x-request-id': 'r' }];
const bodies = [undefined, { amountBrl: 1 }, ['a'], '"text"', '{"a":1}', '{broken', 5, true, null];

describe.each([
  ['ours', ours, true],
  ['the provider’s', providers, false],
])('%s', (_whose, contract, ignoreTrailingSlashes) => {
  let quick: Router;
  let plain: Router;
  beforeAll(async () => {
    [quick, plain] = (await Promise.all([routerOf(), routerOf()])) as [Router, Router];
    quicken(quick);
  });
  const routerOf = async (): Promise<Router> => {
    const definition = structuredClone(contract) as unknown as Document;
    const api = new OpenAPIBackend({ definition, quick: true, validate: false, ignoreTrailingSlashes });
    await api.init();
    return api.router;
  };
  const paths = [...Object.keys(contract.paths).flatMap(filled), ...odd];

  it('matches the same operation, or none for the same reason', () => {
    const asked = paths.flatMap((path) => methods.map((method) => ({ method, path, headers: {} })));
    for (const one of asked) {
      expect(
        outcomeOf(() => quick.matchOperation(one, true)),
        `${one.method} ${one.path}`,
      ).toEqual(outcomeOf(() => plain.matchOperation(one, true)));
      expect(quick.matchOperation(one)).toEqual(plain.matchOperation(one));
    }
    expect(asked.filter((one) => plain.matchOperation(one)).length).toBeGreaterThan(20);
  });

  it('takes requests apart the same way', () => {
    for (const operation of plain.getOperations())
      for (const path of [...filled(operation.path), '/me'])
        for (const query of queries)
          for (const some of headers)
            for (const body of bodies) {
              const asked = {
                method: operation.method,
                path,
                query,
                headers: lowered(some),
                body,
              } as Request;
              expect(outcomeOf(() => quick.parseRequest(asked, operation))).toEqual(
                outcomeOf(() => plain.parseRequest(asked, operation)),
              );
            }
  });

  it('gives each reader of a query their own', () => {
    const [operation] = plain.getOperations();
    const query = { limit: ['1', '2'] };
    const parsed = quick.parseRequest({ method: 'get', path: '/', query, headers: {} }, operation);
    (parsed.query['limit'] as string[]).push('3');
    expect(query.limit).toEqual(['1', '2']);
  });
});

/** The path with each of the values in the place of its parameters. */
const filled = (path: string): string[] =>
  path.includes('{') ? values.map((value) => path.replaceAll(/\{[^}]+\}/g, value)) : [path];

/** As Node gives them. */
const lowered = (some: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(some).map(([name, value]) => [name.toLowerCase(), value]));

function outcomeOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return String(error);
  }
}
