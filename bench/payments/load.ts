// An open load: payments begin at their own times, however long the earlier ones take.
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'undici';
import { send } from '../send.ts';
import type { Payer } from './people.ts';

export type Load = { ratePerSecond: number; seconds: number };

export type LoadResult = {
  /** The ids of the customers' transactions. */
  ids: string[];
  errors: string[];
  /** How many payments the service refused, because it had too many. An app would send them again later. */
  refused: number;
  quoteMs: number[];
  createMs: number[];
};

/** The time between making a payment and polling it for the first time. */
export const FIRST_POLL_MS = 300;
const LONGEST_PAUSE_MS = 5_000;
const PATIENCE_MS = 60_000;

/** Payers pay in turn and poll their payments as an app would, until each is final. */
export async function run(api: Pool, payers: Payer[], { ratePerSecond, seconds }: Load): Promise<LoadResult> {
  const outcome: LoadResult = { ids: [], errors: [], refused: 0, quoteMs: [], createMs: [] };
  const underWay: Promise<void>[] = [];
  const begun = performance.now();
  for (let n = 0; n < ratePerSecond * seconds; n += 1) {
    const waitMs = begun + (n * 1_000) / ratePerSecond - performance.now();
    if (waitMs > 1) await pause(waitMs);
    const payer = payers[n % payers.length] as Payer;
    underWay.push(
      payOnce(api, payer, n, outcome).catch((error: unknown) => {
        if (error instanceof Overloaded) outcome.refused += 1;
        else outcome.errors.push(String(error));
      }),
    );
  }
  await Promise.all(underWay);
  return outcome;
}

async function payOnce(api: Pool, headers: Payer, n: number, outcome: LoadResult): Promise<void> {
  const begun = performance.now();
  // These amounts are not magic values of the sandbox.
  const amountBrl = 10 + (n % 80);
  const { quoteId } = await call<{ quoteId: string }>(api, 'POST', '/pix/quote', headers, { amountBrl });
  const quoted = performance.now();
  outcome.quoteMs.push(quoted - begun);
  const body = { quoteId, pixKey: '529.982.247-25', pixKeyType: 'cpf' };
  type Accepted = { pixPaymentId: string; transactionId: string };
  const { pixPaymentId, transactionId } = await call<Accepted>(api, 'POST', '/pix/payments', headers, body);
  outcome.createMs.push(performance.now() - quoted);
  outcome.ids.push(transactionId);
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (
    let waitMs = FIRST_POLL_MS;
    performance.now() < giveUpAt;
    waitMs = Math.min(2 * waitMs, LONGEST_PAUSE_MS)
  ) {
    await pause(waitMs);
    const { status } = await call<{ status: string }>(api, 'GET', `/pix/payments/${pixPaymentId}`, headers);
    if (status === 'completed') return;
    if (status !== 'converting' && status !== 'paying') throw new Error(`a payment ended ${status}`);
  }
  throw new Error('a payment did not come to its end');
}

class Overloaded extends Error {}

const refusedForLoad: ReadonlySet<string> = new Set(['overloaded', 'too_many_unfinished']);

/** @throws Overloaded, or an error with the body of any other answer than a 2xx. */
async function call<Reply>(...request: Parameters<typeof send>): Promise<Reply> {
  const { status, body, text } = await send<Reply>(...request);
  if (status < 300) return body;
  if (refusedForLoad.has((body as { code: string }).code)) throw new Overloaded();
  const [, method, path] = request;
  throw new Error(`${method} ${path}: ${status} ${text}`);
}
