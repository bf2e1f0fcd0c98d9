// Bodies that are too deep, too long, too large or not storable, at every operation with a body.
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Person, pay, quote, reaches, verified } from '../support/person.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';
import { beside } from './beside.ts';
import { contract, type Form, type Operation } from './contract.ts';
import { brokenBytes, sweaty, unsound } from './corpus.ts';
import { codeIn, type RawResponse } from './raw.ts';
import { type RequestParts, sendTo } from './send-to.ts';

let ada: Person;
/** The sender of all these bodies. */
let eve: Person;

const { world } = useWorld();
beforeAll(async () => {
  [ada, eve] = await Promise.all([
    verified(world, { deposit: '100.00' }),
    verified(world, { deposit: '100.00' }),
  ]);
});

const NUL = '\u0000';
const deep = (levels: number): [string, string][] => [
  [`${levels} lists in lists`, '['.repeat(levels) + ']'.repeat(levels)],
  [`${levels} objects in objects`, '{"a":'.repeat(levels) + '1' + '}'.repeat(levels)],
];

const bodies = contract.flatMap((operation) =>
  operation.forms.map((form) => ({ ...operation, form, said: JSON.stringify(form.example) })),
);
type Tried = Operation & { form: Form };

const sayAs = (operation: Operation, body: string | Buffer, told: RequestParts = {}): Promise<RawResponse> =>
  sendTo(world, operation, { authorization: `Bearer ${eve.token}`, body, ...told });
/** The example with one of its values replaced, as JSON text. */
const exchanged = ({ form: { example } }: Tried, name: string, value: string): string => {
  const others = Object.entries(example).filter(([own]) => own !== name);
  const pairs = [...others.map(([own, said]) => [own, JSON.stringify(said)]), [name, value]];
  return `{${pairs.map(([own, text]) => `${JSON.stringify(own)}:${text}`).join(',')}}`;
};
const fieldsOf = ({ form }: Tried, types: string[]): string[] =>
  Object.entries(form.properties).flatMap(([name, { type = '' }]) => (types.includes(type) ? [name] : []));

describe.each(bodies)('$method $path, instead of $said', (operation) => {
  test.each([...deep(65), ...deep(5_000)])('a body or a field of %s is refused', async (_what, body) => {
    for (const said of [
      body,
      ...Object.keys(operation.form.properties).map((name) => exchanged(operation, name, body)),
    ])
      expect(codeIn(await sayAs(operation, said))).toEqual([400, 'invalid_request', '/body']);
  });

  test('numbers that no calculation survives are refused', async () => {
    for (const name of fieldsOf(operation, ['number', 'integer']))
      for (const number of unsound) {
        const answer = await sayAs(operation, exchanged(operation, name, number));
        expect([number.slice(0, 20), ...codeIn(answer)]).toEqual([
          number.slice(0, 20),
          400,
          'invalid_request',
          `/body/${name}`,
        ]);
      }
  });

  test('text instead of a number, and numbers in another notation, are refused as malformed', async () => {
    for (const name of fieldsOf(operation, ['number', 'integer']))
      for (const number of ['NaN', 'Infinity', '0x10', '01', '+1', '.5', '1.', '1_000', '١'])
        expect(codeIn(await sayAs(operation, exchanged(operation, name, number)))).toEqual([
          400,
          'malformed_json',
          '/body',
        ]);
  });

  test('long texts that make backtracking patterns slow cause no fault', async () => {
    for (const name of fieldsOf(operation, ['string']))
      for (const [what, text] of sweaty) {
        const { status } = await sayAs(operation, exchanged(operation, name, JSON.stringify(text)));
        // Fields without a limit accept such a text. None of the texts is a fault.
        const isExpected = [200, 201, 400, 401, 404, 409, 413].includes(status);
        expect([name, what, isExpected]).toEqual([name, what, true]);
      }
  });

  test('texts with invalid or dangerous characters cause no fault and set no header', async () => {
    for (const name of fieldsOf(operation, ['string']))
      for (const text of [NUL, `a${NUL}b`, '\ud800', 'a\udc00', '\r\nset-cookie: a=b', '\u202e', '\ufeff'])
        for (const json of [JSON.stringify(text), `"${text.replace('\r\n', '\\r\\n')}"`]) {
          const answer = await sayAs(operation, exchanged(operation, name, json));
          expect([name, json, answer.status < 500]).toEqual([name, json, true]);
          expect(answer.headers.map(([header]) => header.toLowerCase())).not.toContain('set-cookie');
        }
  });

  test.each(brokenBytes)('a body with %s is refused as malformed', async (_what, body) => {
    expect(codeIn(await sayAs(operation, body))).toEqual([400, 'malformed_json', '/body']);
  });

  test('a body of more than the limit is refused', async () => {
    const body = `{"a":"${'x'.repeat(operation.mostBytes)}"}`;
    for (const headers of [undefined, { 'transfer-encoding': 'chunked' }])
      expect(codeIn(await sayAs(operation, body, { ...(headers && { headers }) }))).toEqual([
        413,
        'payload_too_large',
        '/body',
      ]);
  });

  test('a body of as much as the limit is read', async () => {
    const frame = '{"surprise":""}';
    const body = frame.replace('""', `"${'x'.repeat(operation.mostBytes - frame.length)}"`);
    // Storing a callback of this size on a busy machine can exceed the deadline of a statement. The provider then repeats it.
    const answer = await until(
      () => sayAs(operation, body),
      ({ status }) => status !== 503,
    );
    // The provider's bodies may have any field.
    const expected = operation.form.isOpen ? [200, undefined] : [400, 'invalid_request'];
    expect(codeIn(answer).slice(0, 2)).toEqual(expected);
  });

  test.each(bombs)('a bomb of %s is refused', async (encoding, body) => {
    const headers = { 'content-encoding': encoding };
    expect(codeIn(await sayAs(operation, body(), { headers }))).toEqual([
      415,
      'unsupported_content_encoding',
      '/headers/content-encoding',
    ]);
  });
});

const zeros = Buffer.alloc(50 * 1024 * 1024, ' ');
const once = (make: () => Buffer): (() => Buffer) => {
  let made: Buffer | undefined;
  return () => (made ??= make());
};
const bombs: [string, () => Buffer][] = [
  ['gzip', once(() => gzipSync(zeros, { level: 1 }))],
  ['deflate', once(() => deflateSync(zeros, { level: 1 }))],
  ['br', once(() => brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }))],
];

const namesIn = (count: number): string =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, place) => [`name${place}`, place])));

/**
 * Client and service share this process, and a body must arrive within 30 s: 40 MB do so on a machine with a load of 20 as well.
 */
const CONCURRENT = 4;

describe('many concurrent hostile bodies', () => {
  const signIn = 'createSession';
  // This is the only operation for users whose body may be large.
  const request = 'createDataRequest';
  const floods: [string, string, () => string | Buffer, RequestParts, number][] = [
    ['bombs', signIn, () => bombs[0]?.[1]() ?? '', { headers: { 'content-encoding': 'gzip' } }, 415],
    ['deep bodies', signIn, () => '['.repeat(30_000), {}, 400],
    [
      'long texts',
      signIn,
      () => JSON.stringify({ provider: 'identity_provider_a', idToken: 'x'.repeat(30_000) }),
      {},
      401,
    ],
    ['objects with many names', signIn, () => namesIn(1_500), {}, 400],
    ['bodies that are too large', signIn, () => 'x'.repeat(10_000_000), {}, 413],
    ['deep bodies', request, () => '['.repeat(10_000_000), {}, 400],
    ['long texts', request, () => JSON.stringify({ type: 'none', notes: 'x'.repeat(9_000_000) }), {}, 400],
    ['objects with many names', request, () => namesIn(150_000), {}, 400],
    ['bodies that are too large', request, () => 'x'.repeat(11_000_000), {}, 413],
  ];

  test.each(floods)(
    'many concurrent %s for %s do not delay other clients',
    async (_what, id, make, told, status) => {
      const body = make();
      const operation = contract.find((one) => one.id === id);
      if (!operation) throw new Error(`there is no ${id}`);
      const { result, served } = await beside(ada, () =>
        Promise.all(Array.from({ length: CONCURRENT }, () => sayAs(operation, body, told))),
      );
      expect(new Set(result.map((answer) => answer.status))).toEqual(new Set([status]));
      expect(served.answers).toBeGreaterThanOrEqual(3);
    },
  );
});

test('payments still succeed after these bodies, and no prototype was touched', async () => {
  for (const person of [ada, eve]) {
    const id = await pay(person, await quote(person, 5));
    expect((await reaches(person, id, 'completed')).status).toBe('completed');
  }
  expect([Object.keys(Object.prototype), 'a' in {}]).toEqual([[], false]);
});
