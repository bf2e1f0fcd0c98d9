// One user's payments, each from its quote to `completed`, while five users pay as many small amounts as are accepted.
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Payer } from '../../payments/people.ts';
import { send } from '../../send.ts';
import { type Answered, type Scenario, sendWhile } from '../scenario.ts';

const PEOPLE = 5;
/** The number of connections of each of the five users. */
const CONNECTIONS = 8;
/** The time that each call to the provider takes. It makes users share the provider's slots rather than the processors. */
const PROVIDER_MS = 500;
const POLL_EVERY_MS = 50;
const PATIENCE_MS = 60_000;

export const piles: Scenario = {
  name: 'piles',
  prepare: async ({ stack, upstream, own, person, makePayer }) => {
    upstream.slowDown(PROVIDER_MS, PROVIDER_MS);
    const names = Array.from({ length: PEOPLE }, (_, nth) => `pile${nth}`);
    const payers = await Promise.all(names.map(makePayer));
    return {
      alone: 'a payment to its end, alone',
      ask: () => payToItsEnd(own, person),
      crowd: `${PEOPLE} people with piles of payments`,
      disturb: async (signal) => {
        const pool = new Pool(stack.url, { connections: PEOPLE * CONNECTIONS });
        const senders = payers.flatMap((payer) =>
          Array.from({ length: CONNECTIONS }, () =>
            sendWhile(
              () => !signal.aborted,
              async () => (await confirm(pool, payer)).answered,
            ),
          ),
        );
        try {
          return (await Promise.all(senders)).flat();
        } finally {
          await pool.destroy();
        }
      },
    };
  },
};

type Confirmed = { answered: Answered; id: string | null };

async function confirm(api: Pool, payer: Payer): Promise<Confirmed> {
  const begun = performance.now();
  const quote = await send(api, 'POST', '/pix/quote', payer, { amountBrl: 20 });
  const body = { quoteId: quote.body['quoteId'], pixKey: '529.982.247-25', pixKeyType: 'cpf' };
  const payment = quote.status === 200 ? await send(api, 'POST', '/pix/payments', payer, body) : quote;
  const status = payment.status === 201 ? 200 : payment.status;
  const id = payment.status === 201 ? String(payment.body['pixPaymentId']) : null;
  return { answered: { status, ms: performance.now() - begun }, id };
}

/** @returns status 200 once the payment is completed, the status of a refusal, or 0 if the payment is not completed in time. */
async function payToItsEnd(api: Pool, payer: Payer): Promise<Answered> {
  const begun = performance.now();
  const { answered, id } = await confirm(api, payer);
  if (id === null) return answered;
  while (performance.now() - begun < PATIENCE_MS) {
    const { body } = await send(api, 'GET', `/pix/payments/${id}`, payer);
    if (body['status'] === 'completed') return { status: 200, ms: performance.now() - begun };
    await pause(POLL_EVERY_MS);
  }
  return { status: 0, ms: performance.now() - begun };
}
