// Users who make one payment after the other for as long as a scenario lasts, each through the typed calls. Their answers are
// recorded for the auditor. The sandbox refuses and fails none of their requests: every payment must complete.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { ClientOrder } from '../audit/evidence.ts';
import { answersIn, type Workload } from '../chaos/payments.ts';
import type { Person } from './people.ts';

const POLL_EVERY_MS = 500;
/** Longer than a take-over and the requests after it. */
const PATIENCE_MS = 90_000;

/** @returns the failures, once `isQuiet` and every payment has been answered. */
export async function payContinuously(workload: Workload, people: Person[]): Promise<string[]> {
  const failures: string[] = [];
  const payAll = async (person: Person): Promise<void> => {
    for (let n = 0; !workload.isQuiet(); n += 1)
      await payOnce(workload, person, n).catch((error: unknown) => void failures.push(String(error)));
  };
  await Promise.all(people.map(payAll));
  return failures;
}

async function payOnce(workload: Workload, person: Person, n: number): Promise<void> {
  const id = await orderPayment(workload, person, n);
  if (id !== null) await watch(workload, person.client, id);
}

/**
 * Requests a price and confirms it.
 * @returns the payment's id, or null if the quote had expired before an instance answered.
 * @throws if the payment was refused otherwise.
 */
export async function orderPayment(
  workload: Workload,
  { id: userId, client }: Person,
  n: number,
): Promise<string | null> {
  // These amounts are not magic values of the sandbox.
  const amountMinor = 1_000 + (n % 80) * 100;
  const quote = await client.ask({
    method: 'POST',
    path: '/pix/quote',
    json: { amountBrl: amountMinor / 100 },
  });
  if (quote.status !== 200) throw new Error(`a quote was answered ${quote.status} ${quote.code}`);
  const quoteId = String(quote.body['quoteId']);
  // Every other payout completes in the reply to its creation: then the effect decides, otherwise a callback does.
  const pixKey = n % 2 === 0 ? `shop-${n}@example.com` : 'instant@pix.example';
  const answer = await client.ask({
    method: 'POST',
    path: '/pix/payments',
    json: { quoteId, pixKey, pixKeyType: 'email' },
  });
  const order: ClientOrder = {
    kind: 'payment',
    userId,
    key: quoteId,
    amountMinor,
    costMinor: Number(quote.body['sourceAmount']),
    expiresAt: String(quote.body['expiresAt']),
    pixKey,
    answers: answersIn([answer]),
  };
  workload.orders.write(order);
  // If no instance answered for a minute, the quote has expired, and the payment was not accepted.
  if (answer.code === 'quote_expired') return null;
  if (answer.status >= 300) throw new Error(`a payment was answered ${answer.status} ${answer.code}`);
  workload.counts.accepted.payments += 1;
  return String(answer.body['pixPaymentId']);
}

/**
 * Withdraws under a key.
 * @throws if the withdrawal was refused.
 */
export async function orderWithdraw(
  workload: Workload,
  { id: userId, client }: Person,
  n: number,
): Promise<void> {
  const key = randomUUID();
  // These amounts are not magic values of the sandbox.
  const amountMinor = 100_000 + n;
  const headers = { 'idempotency-key': key };
  const answer = await client.ask({
    method: 'POST',
    path: '/withdraws',
    json: { amount: amountMinor },
    headers,
  });
  workload.orders.write({
    kind: 'withdraw',
    userId,
    key,
    amountMinor,
    costMinor: amountMinor,
    answers: answersIn([answer]),
  } satisfies ClientOrder);
  if (answer.status >= 300) throw new Error(`a withdrawal was answered ${answer.status} ${answer.code}`);
  workload.counts.accepted.withdraws += 1;
}

/** Polls until the payment is final. If it is not final in time, the auditor judges it. */
async function watch({ isQuiet }: Workload, client: Person['client'], id: string): Promise<void> {
  for (const begun = Date.now(); Date.now() - begun < PATIENCE_MS && !isQuiet(); await pause(POLL_EVERY_MS)) {
    const { status } = (await client.ask({ method: 'GET', path: `/pix/payments/${id}` })).body;
    if (status !== 'converting' && status !== 'paying') return;
  }
}
