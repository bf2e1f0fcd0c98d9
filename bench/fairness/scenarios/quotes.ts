// One user's quotes, while another user requests quotes on many connections.
import { Pool } from 'undici';
import type { Scenario } from '../scenario.ts';
import { sendOnMany, sendTo } from '../scenario.ts';

/** @param quoteMs the additional time that the provider takes for a quote. */
export const quotes = (connections: number, quoteMs: number): Scenario => ({
  name: 'quotes',
  prepare: async ({ stack, upstream, own, person, other }) => {
    upstream.slowDown(quoteMs);
    return {
      alone: `quotes of ${quoteMs} ms, alone`,
      ask: () => sendTo(own, 'POST', '/pix/quote', person, { amountBrl: 20 }),
      crowd: `${connections} connections`,
      disturb: async (signal) => {
        const pool = new Pool(stack.url, { connections });
        try {
          const ask = () => sendTo(pool, 'POST', '/pix/quote', other, { amountBrl: 20 });
          return await sendOnMany(connections, ask, signal);
        } finally {
          await pool.destroy();
        }
      },
    };
  },
});
