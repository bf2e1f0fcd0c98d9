// Compares the service's handling of a request with openapi-backend's own. For any request, both give the same answer, and a
// handler receives the same input.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contract, type Form, namesOfContract, type Operation } from '../api-security/contract.ts';
import {
  brokenBytes,
  inherited,
  kinds,
  oddAddresses,
  SHARED_BY,
  shareOf,
  sweaty,
  unsound,
  wished,
} from '../api-security/corpus.ts';
import { exampleFor, filled, someId } from '../api-security/send-to.ts';
import { useWorld } from '../support/use-world.ts';
import { type SentRequest, startTwoHandlings, type TwoHandlings } from './two-handlings.ts';

let noting: TwoHandlings;
let serving: TwoHandlings;
/** The number of answers with each status. */
const met: Record<string, number> = {};

const { world, ada } = useWorld({ deposit: '100.00' });
beforeAll(async () => {
  noting = await startTwoHandlings(world.service.app, true);
  serving = await startTwoHandlings(world.service.app, false);
});
afterAll(() => serving.stop());
afterAll(() => noting.stop());

/** The requests that the two handle differently. Most requests are long, so they are shortened. */
async function differencesIn(requests: SentRequest[]): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const request of requests) {
    const { ours, plain } = await noting.both(request);
    met[ours.status] = (met[ours.status] ?? 0) + 1;
    if (JSON.stringify(ours) !== JSON.stringify(plain))
      found.push({ asked: JSON.stringify(request).slice(0, 500), ours, plain });
  }
  return found;
}

const byAda = () => ({ authorization: `Bearer ${ada.token}` });
const good = (operation: Operation): SentRequest => ({
  method: operation.method,
  path: filled(world, operation.path),
  headers: byAda(),
  ...exampleFor(operation),
});
const at = ({ path }: Operation, value: string): string =>
  filled(world, path, value).replace(world.webhookSecret, value);

const OTHER_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'OPTIONS', 'DELETE'];

test('odd addresses are handled identically, also by other methods', async () => {
  const paths = oddAddresses.map(([path]) => path).filter((path) => /^[!-~]{1,9000}$/.test(path));
  expect(paths.length).toBeGreaterThan(35);
  const requests = paths.flatMap((path) =>
    OTHER_METHODS.map((method) => ({ method, path, headers: byAda() })),
  );
  expect(await differencesIn(requests)).toEqual([]);
});

const TOKENS = ['', 'Bearer x', 'Basic x', 'bearer {}', 'Bearer {} ', 'Bearer {}.'];
const IN_PATHS = [someId, '%zz', '%ff', 'a%2Fb', '%20', 'x.y', '__proto__', '..%2f', `${someId}//`];

describe.each(contract.map((operation, place) => ({ ...operation, place })))('$method $path', (operation) => {
  test('values in the path and other methods are handled identically', async () => {
    const requests = IN_PATHS.flatMap((value) => [
      { ...good(operation), path: at(operation, value) },
      { ...good(operation), path: at(operation, value), headers: {} },
    ]);
    const others = OTHER_METHODS.map((method) => ({ ...good(operation), method }));
    expect(await differencesIn([...requests, ...others])).toEqual([]);
  });

  test('anonymous callers are handled identically, with valid requests or not', async () => {
    const requests = TOKENS.flatMap((text) => {
      const headers = { authorization: text.replace('{}', ada.token) };
      const request = { ...good(operation), headers };
      return [request, { ...request, path: `${request.path}?limit=0` }, { ...request, body: '{' }];
    });
    expect(await differencesIn(requests)).toEqual([]);
  });

  test('queries are handled identically', async () => {
    const names = shareOf([...namesOfContract.slice(0, 20), ...wished, ...inherited], operation.place);
    const queries = [
      ...names.map((name) => `${encodeURIComponent(name)}=1`),
      ...valuesOf(operation),
      ...oddQueries,
    ];
    const request = good(operation);
    const requests = queries.map((query) => ({ ...request, path: `${request.path}?${query}` }));
    expect(await differencesIn(requests)).toEqual([]);
  });

  test('headers are handled identically', async () => {
    const request = good(operation);
    const requests = oddHeaders.map((headers) => ({
      ...request,
      headers: { ...request.headers, ...headers },
    }));
    expect(await differencesIn(requests)).toEqual([]);
  });

  test('bodies are handled identically', async () => {
    const { method, path, headers = {} } = good(operation);
    const bodies = [undefined, ...oddBodies, ...operation.forms.flatMap(bodiesOf)];
    expect(await differencesIn(bodies.map((body) => ({ method, path, headers, body })))).toEqual([]);
  });
});

const oddHeaders: Record<string, string>[] = [
  { 'idempotency-key': 'a' },
  { 'idempotency-key': '' },
  { 'idempotency-key': 'x'.repeat(300) },
  { cookie: 'a=b; c; __proto__=x' },
  { 'content-type': 'application/json' },
  { 'content-type': 'Application/JSON; charset=UTF-8' },
  { 'content-type': 'text/plain' },
  { 'content-encoding': 'gzip' },
];

const oddBodies: (string | Buffer)[] = [
  '',
  'null',
  '0',
  'false',
  '""',
  '"{}"',
  '"x"',
  '{',
  '[',
  '{"a":1}{',
  ' '.repeat(33_000),
  ...kinds.map((kind) => JSON.stringify(kind)),
  ...brokenBytes.map(([, bytes]) => bytes),
];

const oddQueries = [
  '=',
  '&',
  'a',
  'limit',
  'limit=1&limit=2',
  'limit[]=1',
  'limit[a]=1',
  '%ff=%ff',
  '?',
  '%zz',
];
const oddValues = [
  '',
  '0',
  '1',
  '100',
  '101',
  '-1',
  '1.5',
  '1e2',
  ' 5',
  '0x10',
  'true',
  'FALSE',
  'null',
  '\0',
];

const valuesOf = ({ parameters }: Operation): string[] =>
  parameters
    .filter((parameter) => parameter.in === 'query')
    .flatMap(({ name }) => oddValues.map((value) => `${name}=${encodeURIComponent(value)}`));

/** The example with each of its values replaced or left out, and with surplus fields. */
function bodiesOf({ example, properties }: Form): string[] {
  const names = Object.keys(properties);
  const others = (name: string): [string, string][] =>
    Object.entries(example)
      .filter(([own]) => own !== name)
      .map(([own, value]) => [own, JSON.stringify(value)]);
  const values = [
    ...kinds.map((kind) => JSON.stringify(kind)),
    ...unsound,
    ...sweaty.map(([, text]) => JSON.stringify(text.slice(0, 2_000))),
  ];
  return [
    JSON.stringify(example),
    ...names.map((name) => written(others(name))),
    ...names.flatMap((name, place) =>
      (names.length < SHARED_BY ? values : shareOf(values, place)).map((json) =>
        written([...others(name), [name, json]]),
      ),
    ),
    ...[...wished, ...inherited, ''].map((name) => written([...others(name), [name, '1']])),
  ];
}

const written = (pairs: [string, string][]): string =>
  `{${pairs.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`;

test.each([
  '/me',
  '/transactions',
  '/transactions?limit=1',
  '/pix/payments',
  '/kyc/status',
  '/withdraws',
  '/health',
])('a successful request is answered identically: %s', async (path) => {
  const { ours, plain } = await serving.both({ method: 'GET', path, headers: byAda() });
  expect(ours).toEqual(plain);
  expect(ours.status).toBe(200);
});

test('the compared requests include every kind of refusal, and some reach a handler', () => {
  const statuses = Object.keys(met).map(Number);
  expect(statuses).toEqual(expect.arrayContaining([400, 401, 404, 405, 413, 415, 500]));
});
