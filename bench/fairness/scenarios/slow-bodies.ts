// One user's requests, while others send bodies very slowly: signed-in users, strangers with one byte each, or users who declare ten
// megabytes and send almost nothing.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createPerson, signIn } from '../../../harness/people/person.ts';
import { mintIdToken } from '../../../harness/people/sandbox.ts';
import { type Answered, type Bench, type Scenario, type Send, sendOnMany, sendTo } from '../scenario.ts';

type SlowBody = { path: string; bytes: number; everyMs: number };

const PEOPLE = 64;
const BODIES_OF_EACH = 8;
const BYTES_A_SECOND = 100;
const EVERY_MS = (PEOPLE * BODIES_OF_EACH * 1_000) / BYTES_A_SECOND;

export const slowBodies: Scenario = {
  name: 'slow-bodies',
  prepare: async (bench) => ({
    alone: 'GET /me, alone',
    ask: () => sendTo(bench.own, 'GET', '/me', bench.person),
    crowd: `${PEOPLE} people with ${BODIES_OF_EACH} slow bodies each`,
    disturb: await crowdOf(bench, PEOPLE, BODIES_OF_EACH, {
      path: '/pix/quote',
      bytes: 30_000,
      everyMs: EVERY_MS,
    }),
  }),
};

const DECLARING = 40;

export const declaredBodies: Scenario = {
  name: 'declared-bodies',
  prepare: async (bench) => ({
    alone: 'PATCH /me, alone',
    ask: () => sendTo(bench.own, 'PATCH', '/me', bench.person, { displayName: 'Bea' }),
    crowd: `${DECLARING} people who declare ${BODIES_OF_EACH} bodies of 10 MB each`,
    disturb: await crowdOf(bench, DECLARING, BODIES_OF_EACH, {
      path: '/me/data-request',
      bytes: 10_000_000,
      everyMs: 100,
    }),
  }),
};

const STRANGERS = 600;

export const strangersBodies: Scenario = {
  name: 'strangers-bodies',
  prepare: async ({ stack }) => {
    const idToken = await mintIdToken(stack, 'b', { subject: randomUUID() });
    const body = JSON.stringify({ provider: 'identity_provider_b', idToken });
    const kinds = [inOneSegment, bodyLater, fetched];
    let sent = 0;
    return {
      alone: 'POST /auth/session in one segment, with a later body, and by fetch; alone',
      ask: () => (kinds[(sent += 1) % kinds.length] ?? fetched)(stack.url, body),
      crowd: `${STRANGERS} strangers who send a byte every 4 s`,
      disturb: (signal) => {
        const slow = { path: '/auth/session', bytes: 1_000, everyMs: 4_000 };
        return sendOnMany(STRANGERS, () => sendSlowly(stack.url, null, slow, signal), signal);
      },
    };
  },
};

async function crowdOf({ stack }: Bench, people: number, each: number, body: SlowBody) {
  const sessions = await Promise.all(Array.from({ length: people }, () => signIn(createPerson(stack))));
  return async (signal: AbortSignal): Promise<Answered[]> => {
    const all = sessions.map(({ sessionToken }) =>
      sendOnMany(each, () => sendSlowly(stack.url, sessionToken, body, signal), signal),
    );
    return (await Promise.all(all)).flat();
  };
}

type SignIn = (url: string, body: string) => ReturnType<Send>;

const LATER_MS = 30;

const inOneSegment: SignIn = (url, body) =>
  bySocket(url, (socket, head) => void socket.write(head + body), body);

const bodyLater: SignIn = (url, body) =>
  bySocket(
    url,
    (socket, head) => {
      socket.write(head);
      setTimeout(() => socket.write(body), LATER_MS);
    },
    body,
  );

const fetched: SignIn = async (url, body) => {
  const begun = performance.now();
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/auth/session`, { method: 'POST', headers, body });
  await response.text();
  return { status: response.status, ms: performance.now() - begun };
};

async function bySocket(
  url: string,
  write: (socket: Socket, head: string) => void,
  body: string,
): Promise<Answered> {
  const begun = performance.now();
  const { socket, answered } = open(url);
  write(socket, headOf(url, '/auth/session', null, Buffer.byteLength(body)));
  return { status: await answered, ms: performance.now() - begun };
}

/** Opens a connection for one response. `answered` is its status, or 0 if the connection closes without one. */
function open(url: string): { socket: Socket; answered: Promise<number> } {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk.toString('latin1');
    socket.destroy();
  });
  const answered = once(socket, 'close')
    .catch(() => undefined)
    .then(() => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0));
  return { socket, answered };
}

const headOf = (url: string, path: string, token: string | null, bytes: number): string =>
  [
    `POST ${path} HTTP/1.1`,
    `Host: ${new URL(url).host}`,
    ...(token === null ? [] : [`Authorization: Bearer ${token}`]),
    'Content-Type: application/json',
    `Content-Length: ${bytes}`,
    '',
    '',
  ].join('\r\n');

/**
 * Sends a body byte by byte until it is answered, the connection is closed, or the signal is aborted.
 * @returns status 0 without an answer.
 */
async function sendSlowly(
  url: string,
  token: string | null,
  { path, bytes, everyMs }: SlowBody,
  signal: AbortSignal,
): Promise<Answered> {
  const begun = performance.now();
  const { socket, answered } = open(url);
  socket.write(headOf(url, path, token, bytes));
  await Promise.race([answered, drip(socket, everyMs, signal)]);
  socket.destroy();
  const status = await answered;
  // Without an answer, this pause keeps the sender from reconnecting in a busy loop.
  if (status === 0) await pause(100);
  return { status, ms: performance.now() - begun };
}

async function drip(socket: Socket, everyMs: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !socket.destroyed) {
    socket.write(' ');
    await pause(everyMs, undefined, { signal }).catch(() => undefined);
  }
}
