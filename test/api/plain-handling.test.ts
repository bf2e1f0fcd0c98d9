// Ours and openapi-backend's own handling of a request, side by side: whatever is sent to both, they say the same, and a
// handler is given the same.
import { createServer as createHttpServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Contract, createContract } from '../../src/api/contract.ts';
import { Refusal } from '../../src/api/errors.ts';
import type { Handlers } from '../../src/api/operation.ts';
import { createServer } from '../../src/api/server.ts';
import { createAuthenticate } from '../../src/auth/authenticate.ts';
import { gates, handlers } from '../../src/handlers/index.ts';
import { contract, type Form, namesOfContract, type Operation } from '../door/contract.ts';
import { brokenBytes, inherited, kinds, oddAddresses, sweaty, unsound, wished } from '../door/corpus.ts';
import { exchange, type Heard } from '../door/raw.ts';
import { exampleFor, filled, someId } from '../door/tell.ts';
import { type Person, verified } from '../support/person.ts';
import { startWorld, type World } from '../support/world.ts';
import { createPlainContract } from './plain-contract.ts';

let world: World;
let ada: Person;
/** With handlers that only note what they are given, and with those of the service. */
let noting: Pair;
let serving: Pair;
const given: unknown[] = [];

type Pair = { ours: { url: string }; plain: { url: string } };
const servers: Server[] = [];

beforeAll(async () => {
  world = await startWorld();
  ada = await verified(world, { deposit: '100.00' });
  [noting, serving] = [await startPair(notingHandlers()), await startPair(handlers)];
});
afterAll(() => world.stop());
afterAll(() => {
  for (const server of servers) server.closeAllConnections();
  for (const server of servers) server.close();
});

async function startPair(by: Handlers): Promise<Pair> {
  const { app } = world.service;
  return {
    ours: await listen(await createContract(app, by)),
    plain: await listen(await createPlainContract(app, by)),
  };
}

async function listen(by: Contract): Promise<{ url: string }> {
  const { app } = world.service;
  const callers = { authenticate: createAuthenticate(app, app.sessions), gates };
  const server = createHttpServer(createServer(app, by, callers)).listen(0, '127.0.0.1');
  servers.push(server);
  await new Promise((resolve) => server.once('listening', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const notingHandlers = (): Handlers =>
  Object.fromEntries(
    Object.entries(handlers).map(([id, handle]) => [
      id,
      Object.assign(
        async ({ user, rows: _rows, ...request }: { user?: { id: string }; rows?: unknown }) => {
          given.push({ id, user: user?.id, ...request });
          throw new Refusal('not_retryable');
        },
        'reads' in handle ? { reads: handle.reads } : {},
      ),
    ]),
  ) as unknown as Handlers;

type Asked = { method: string; path: string; headers?: Record<string, string>; body?: string | Buffer };

const said = ({ status, headers, text }: Heard) => ({
  status,
  text,
  // `Allow` is our own, and tried in test/door/methods.test.ts.
  headers: headers.filter(([name]) => !['date', 'allow'].includes(name.toLowerCase())),
});

async function tell({ url }: { url: string }, { method, path, headers, body }: Asked) {
  given.splice(0);
  const heard = await exchange({ url }, method, path, {
    headers: {
      'x-request-id': 'the-same',
      ...(body !== undefined && {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
      }),
      ...headers,
    },
    ...(body !== undefined && { body }),
  });
  return { ...said(heard), given: [...given] };
}

const reached: Record<string, number> = {};

async function expectTheSame(asked: Asked): Promise<void> {
  const [ours, plain] = [await tell(noting.ours, asked), await tell(noting.plain, asked)];
  reached[ours.status] = (reached[ours.status] ?? 0) + 1;
  // Written out only where it fails: most of these are long.
  if (JSON.stringify(ours) !== JSON.stringify(plain))
    expect([asked.method, asked.path.slice(0, 200), String(asked.body).slice(0, 200), ours]).toEqual([
      asked.method,
      asked.path.slice(0, 200),
      String(asked.body).slice(0, 200),
      plain,
    ]);
}

const byAda = () => ({ authorization: `Bearer ${ada.token}` });
const at = ({ method, path }: Operation, id?: string) => ({ method, path: filled(world, path, id) });

describe('addresses', () => {
  it('that are odd, by every method', async () => {
    const paths = oddAddresses.map(([path]) => path).filter((path) => /^[!-~]{1,9000}$/.test(path));
    expect(paths.length).toBeGreaterThan(35);
    for (const path of paths)
      for (const method of ['GET', 'HEAD', 'POST', 'DELETE', 'PUT'])
        await expectTheSame({ method, path, headers: byAda() });
  });

  it.each(contract)(
    '$method $path, with every value in the path, and by other methods',
    async (operation) => {
      const values = [
        someId,
        '%zz',
        '%ff',
        'a%2Fb',
        '%20',
        'x.y',
        '__proto__',
        '..%2f',
        `${someId}/`,
        `${someId}//`,
      ];
      for (const value of values) {
        const { method, path } = at(operation, value);
        const asked = { path: path.replace(world.webhookSecret, value), ...exampleFor(operation) };
        for (const headers of [byAda(), {}]) await expectTheSame({ ...asked, method, headers });
        await expectTheSame({ ...asked, method, path: at(operation).path, headers: byAda() });
      }
      for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'OPTIONS', 'DELETE'])
        await expectTheSame({ method, path: at(operation).path, headers: byAda() });
    },
  );
});

describe.each(contract)('$method $path', (operation) => {
  it('and those whom nobody knows', async () => {
    for (const authorization of [
      undefined,
      'Bearer x',
      'Basic x',
      `bearer ${ada.token}`,
      `Bearer ${ada.token} `,
    ])
      for (const query of ['', '?limit=0'])
        await expectTheSame({
          ...at(operation),
          path: at(operation).path + query,
          ...(authorization !== undefined && { headers: { authorization } }),
          ...exampleFor(operation),
        });
  });

  it('with queries', async () => {
    const names = [...namesOfContract.slice(0, 20), ...wished, ...inherited].map(encodeURIComponent);
    const queries = [...names.map((name) => `${name}=1`), ...valuesOf(operation), ...oddQueries];
    for (const query of queries)
      await expectTheSame({
        ...at(operation),
        path: `${at(operation).path}?${query}`,
        headers: byAda(),
        ...exampleFor(operation),
      });
  });

  it('with headers', async () => {
    const all = [
      { 'idempotency-key': 'a' },
      { 'idempotency-key': '' },
      { 'idempotency-key': 'x'.repeat(300) },
    ];
    const others = [
      { cookie: 'a=b; c' },
      { 'content-type': 'application/json' },
      { 'content-type': 'text/plain' },
    ];
    for (const headers of [...all, ...others])
      await expectTheSame({
        ...at(operation),
        headers: { ...byAda(), ...headers },
        ...exampleFor(operation),
      });
  });

  it('with bodies', async () => {
    const bodies: (string | Buffer | undefined)[] = [
      undefined,
      '',
      ...kinds.map((kind) => JSON.stringify(kind)),
      ...['null', '0', 'false', '""', '"{}"', '"x"', '{', '[', '{"a":1}{'],
      ...brokenBytes.map(([, bytes]) => bytes),
      ' '.repeat(33_000),
      ...operation.forms.flatMap(bodiesOf),
    ];
    for (const body of bodies)
      await expectTheSame({ ...at(operation), headers: byAda(), ...(body !== undefined && { body }) });
  });
});

const oddQueries = [
  '=',
  '&',
  'a',
  'limit',
  'limit=1&limit=2',
  'limit[]=1',
  'limit[a]=1',
  '%ff=%ff',
  'x=%00',
  '?',
  '%zz',
];

/** Of each parameter of the operation: what its schema may take, and what not. */
const valuesOf = ({ parameters }: Operation): string[] =>
  parameters
    .filter((parameter) => parameter.in === 'query')
    .flatMap(({ name }) =>
      [
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
        'false',
        'TRUE',
        'null',
        'x',
        '1&x=1',
      ].map((value) => `${name}=${encodeURIComponent(value).replaceAll('%26', '&').replaceAll('%3D', '=')}`),
    );

/** The example with each of its values exchanged, and with more than it has room for. */
const bodiesOf = ({ example, properties }: Form): string[] => {
  const names = Object.keys(properties);
  const exchanged = (name: string, json: string) =>
    `{${Object.entries({ ...example, [name]: null })
      .map(([own, value]) => `${JSON.stringify(own)}:${own === name ? json : JSON.stringify(value)}`)
      .join(',')}}`;
  return [
    JSON.stringify(example),
    ...names.map((name) => JSON.stringify({ ...example, [name]: undefined })),
    ...names.flatMap((name) => kinds.map((kind) => exchanged(name, JSON.stringify(kind)))),
    ...names.flatMap((name) => unsound.map((number) => exchanged(name, number))),
    ...names.flatMap((name) =>
      sweaty.map(([, text]) => exchanged(name, JSON.stringify(text.slice(0, 2_000)))),
    ),
    ...[...wished, ...inherited, ''].map(
      (name) =>
        `${JSON.stringify(example).slice(0, -1)}${names.length > 0 ? ',' : ''}${JSON.stringify(name)}:1}`,
    ),
  ];
};

it('what is right is answered in the same words', async () => {
  const paths = [
    '/me',
    '/transactions',
    '/transactions?limit=1',
    '/pix/payments',
    '/kyc/status',
    '/withdraws',
    '/health',
  ];
  for (const path of paths) {
    const asked = { method: 'GET', path, headers: { ...byAda(), 'x-request-id': 'the-same' } };
    const [ours, plain] = [await tell(serving.ours, asked), await tell(serving.plain, asked)];
    expect(ours).toEqual(plain);
    expect([path, ours.status]).toEqual([path, 200]);
  }
});

it('all of it met refusals and handlers alike', () => {
  for (const status of [400, 401, 404, 405, 409, 413, 415])
    expect([status, reached[status] ?? 0]).not.toEqual([status, 0]);
});
