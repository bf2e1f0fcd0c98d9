// One user's GET /me, while 64 users each send eight bodies very slowly: 100 bytes a second in all.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createPerson, signIn } from '../../../scripts/journey/person.ts';
import { type Answered, type Scenario, sendOnMany, sendTo } from '../scenario.ts';

const PEOPLE = 64;
const BODIES_OF_EACH = 8;
const BYTES_A_SECOND = 100;
const EVERY_MS = (PEOPLE * BODIES_OF_EACH * 1_000) / BYTES_A_SECOND;

export const slowBodies: Scenario = {
  name: 'slow-bodies',
  prepare: async ({ stack, own, person }) => {
    const sessions = await Promise.all(Array.from({ length: PEOPLE }, () => signIn(createPerson(stack))));
    return {
      alone: 'GET /me, alone',
      ask: () => sendTo(own, 'GET', '/me', person),
      crowd: `${PEOPLE} people with ${BODIES_OF_EACH} slow bodies each`,
      disturb: async (signal) => {
        const all = sessions.map(({ sessionToken }) =>
          sendOnMany(BODIES_OF_EACH, () => sendSlowly(stack.url, sessionToken, signal), signal),
        );
        return (await Promise.all(all)).flat();
      },
    };
  },
};

/**
 * Sends a body byte by byte until it is answered, the connection is closed, or the signal is aborted.
 * @returns status 0 without an answer.
 */
async function sendSlowly(url: string, token: string, signal: AbortSignal): Promise<Answered> {
  const begun = performance.now();
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk.toString('latin1');
    socket.destroy();
  });
  const closed = once(socket, 'close').catch(() => undefined);
  const head = [
    'POST /pix/quote HTTP/1.1',
    `Host: ${hostname}:${port}`,
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    'Content-Length: 30000',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  await Promise.race([closed, drip(socket, signal)]);
  socket.destroy();
  // Without an answer, this pause keeps the sender from reconnecting in a busy loop.
  if (answer === '') await pause(100);
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
  return { status, ms: performance.now() - begun };
}

async function drip(socket: Socket, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !socket.destroyed) {
    socket.write(' ');
    await pause(EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}
