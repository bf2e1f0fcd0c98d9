// One user's GET /me, while another user reads their longest list on eight connections.
import { Pool } from 'undici';
import { query } from '../../../harness/database/query.ts';
import type { Payer } from '../../payments/people.ts';
import { type Scenario, sendOnMany, sendTo } from '../scenario.ts';

const CONNECTIONS = 8;
const ROWS = 1_000;

export const longPages: Scenario = {
  name: 'long-pages',
  prepare: async ({ stack, own, person, other }) => {
    await insertTransactions(stack.databaseUrl, idOf(other));
    const path = `/transactions?limit=${ROWS}`;
    return {
      alone: 'GET /me, alone',
      ask: () => sendTo(own, 'GET', '/me', person),
      crowd: `${CONNECTIONS} connections of GET ${path}`,
      disturb: async (signal) => {
        const pool = new Pool(stack.url, { connections: CONNECTIONS });
        try {
          return await sendOnMany(CONNECTIONS, () => sendTo(pool, 'GET', path, other), signal);
        } finally {
          await pool.destroy();
        }
      },
    };
  },
};

function idOf({ authorization }: Payer): string {
  const [, claims = ''] = authorization.split('.');
  return (JSON.parse(Buffer.from(claims, 'base64url').toString()) as { sub: string }).sub;
}

const insertTransactions = (databaseUrl: string, userId: string): Promise<object[]> =>
  query(
    databaseUrl,
    `insert into transactions
       (id, user_id, type, status, source_currency, source_amount_minor, provider, created_at, completed_at)
     select gen_random_uuid(), $1::uuid, 'deposit', 'completed', 'GBP', n, 'sandbox', now(), now()
     from generate_series(1, $2::int) n`,
    [userId, ROWS],
  );
