// Attacks that once stalled or killed a process with a few kilobytes. A process with a small heap refuses each of them at very
// low cost. docs/security.md has the costs before and after.
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../harness/processes/free-port.ts';
import { type Person, signUp } from '../support/person.ts';
import { killProcesses, type ServiceProcess, startReadyProcess } from '../support/process.ts';
import { useWorld } from '../support/use-world.ts';
import { ask } from './raw.ts';
import { reportsUsage, usageOf } from './usage.ts';

const HEAP_MIB = 256;
/** The limit for all requests of an attack together. Twenty requests once took all memory of the machine. */
const MAX_MIB = 160;
/** The process parses no more than this besides the bodies: answers of the database, in its background work. */
const FEW_CHARACTERS = 100_000;

let eve: Person;
let service: ServiceProcess;
let where: { url: string };

const { world } = useWorld();
beforeAll(async () => {
  eve = await signUp(world);
  const port = await freePort();
  where = { url: `http://127.0.0.1:${port}` };
  service = await startReadyProcess({
    ...world.env,
    ROLE: 'api',
    PORT: String(port),
    NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB} ${reportsUsage}`,
  });
});
afterAll(async () => {
  await killProcesses();
});

const LARGE = 10 * 1024 * 1024 - 100;
const brackets = Buffer.alloc(LARGE, '[');
const packed = gzipSync(brackets);
const oneName = Buffer.from(`{"${'k'.repeat(LARGE)}":1}`);
const nested = Buffer.concat([Buffer.alloc(LARGE / 2, '['), Buffer.alloc(LARGE / 2, ']')]);
const manyValues = Buffer.from(`[${'[],'.repeat(LARGE / 3)}0]`);

const gzip = { 'content-encoding': 'gzip' };
type Attack = [what: string, path: string, said: { body: Buffer; headers?: Record<string, string> }];

/**
 * Sends an attack many times. A body that is read before it is parsed takes 10 MiB of memory, so attacks with a session are
 * fewer. Each request once took seconds, because its brackets were parsed: only a body of few values is parsed at all.
 */
const attack = async ([_what, path, { body, headers }]: Attack, count: number, token?: string) => {
  const before = await usageOf(service.child);
  const answers = await Promise.all(
    Array.from({ length: count }, () =>
      ask(where, 'POST', path, {
        body,
        headers: {
          'content-type': 'application/json',
          'content-length': String(body.length),
          ...headers,
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
      }),
    ),
  );
  const after = await usageOf(service.child);
  const isParsed = token !== undefined && body === oneName && path === '/me/data-request';
  expect(after.parsed - before.parsed).toBeLessThan((isParsed ? count * body.length : 0) + FEW_CHARACTERS);
  expect(after.peakMiB - before.peakMiB).toBeLessThan(MAX_MIB);
  // No answer echoes a large input.
  for (const { text } of answers) expect(text.length).toBeLessThan(1_000);
  return [
    ...new Set(answers.map(({ status, text }) => `${status} ${(JSON.parse(text) as { code: string }).code}`)),
  ];
};

test.each([
  [
    'brackets, packed, at the sign-in',
    '/auth/session',
    { body: packed, headers: gzip },
    '415 unsupported_content_encoding',
  ],
  [
    'brackets, packed, where a session is needed',
    '/me/data-request',
    { body: packed, headers: gzip },
    '401 unauthorized',
  ],
  ['brackets at the sign-in', '/auth/session', { body: brackets }, '413 payload_too_large'],
  ['one name at the sign-in', '/auth/session', { body: oneName }, '413 payload_too_large'],
  ['one name where a session is needed', '/me/data-request', { body: oneName }, '401 unauthorized'],
  [
    'one name under a wrong secret',
    `/webhooks/provider/${'w'.repeat(40)}`,
    { body: oneName },
    '404 not_found',
  ],
  [
    'brackets, packed, under a wrong secret',
    '/webhooks/provider/w',
    { body: packed, headers: gzip },
    '404 not_found',
  ],
  ['one name to no address', '/nowhere', { body: oneName }, '404 not_found'],
] as [...Attack, string][])(
  'twenty attacks without a session are refused at low cost: %s',
  async (what, path, said, expected) => {
    expect(await attack([what, path, said], 20)).toEqual([expected]);
  },
);

test.each([
  [
    'brackets, packed',
    '/me/data-request',
    { body: packed, headers: gzip },
    '415 unsupported_content_encoding',
  ],
  ['brackets', '/me/data-request', { body: brackets }, '400 invalid_request'],
  ['brackets that are closed', '/me/data-request', { body: nested }, '400 invalid_request'],
  ['lists without end', '/me/data-request', { body: manyValues }, '400 invalid_request'],
  ['one name', '/me/data-request', { body: oneName }, '400 invalid_request'],
  ['one name where a body is small', '/pix/quote', { body: oneName }, '413 payload_too_large'],
] as [...Attack, string][])(
  'five attacks with a session are refused at low cost: %s',
  async (what, path, said, expected) => {
    expect(await attack([what, path, said], 5, eve.token)).toEqual([expected]);
  },
);

test('the process answers normally after the attacks', async () => {
  const { status } = await ask(where, 'GET', '/me', { headers: { authorization: `Bearer ${eve.token}` } });
  expect([status, service.child.exitCode]).toEqual([200, null]);
});
