// One user's GET /me, while 200 connections sign in with one valid ID token.
import { randomUUID } from 'node:crypto';
import { Pool } from 'undici';
import { mintIdToken } from '../../../harness/people/sandbox.ts';
import { type Scenario, sendOnMany, sendTo } from '../scenario.ts';

const CONNECTIONS = 200;

export const signIns: Scenario = {
  name: 'sign-ins',
  prepare: async ({ stack, own, person }) => {
    const idToken = await mintIdToken(stack, 'b', { subject: randomUUID() });
    return {
      alone: 'GET /me, alone',
      ask: () => sendTo(own, 'GET', '/me', person),
      crowd: `${CONNECTIONS} sign-ins with one ID token`,
      disturb: async (signal) => {
        const pool = new Pool(stack.url, { connections: CONNECTIONS });
        try {
          const json = { provider: 'identity_provider_b', idToken };
          return await sendOnMany(CONNECTIONS, () => sendTo(pool, 'POST', '/auth/session', {}, json), signal);
        } finally {
          await pool.destroy();
        }
      },
    };
  },
};
