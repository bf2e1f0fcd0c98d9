// A user pays: requests a price, confirms it as phones do, sometimes twice concurrently, sometimes polls, sometimes retries.
import { setTimeout as pause } from 'node:timers/promises';
import type { ClientOrder } from '../audit/evidence.ts';
import type { Random } from '../random.ts';
import type { Answer } from '../stack/client.ts';
import type { Counts } from '../stack/counts.ts';
import type { Journal } from '../stack/journal.ts';
import type { Person } from '../stack/people.ts';
import { afterwards, named, type Recipient } from './beside-paying.ts';

export type Workload = {
  counts: Counts;
  orders: Journal;
  isQuiet: () => boolean;
  /** Whether every instance has look-ups, codes, checks of names, receipts and contestations. */
  isCurrent?: boolean;
};

const MAX_TRIES = 40;
const WATCH_EVERY_MS = 700;
const WATCH_MS = 12_000;

/**
 * Tries until a payment is accepted.
 * @throws if none is.
 */
export async function pay(workload: Workload, person: Person, random: Random): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const id = await payOnce(workload, person, random);
    if (id !== null) {
      workload.counts.accepted.payments += 1;
      if (random.happens(0.6)) await watch(workload, person, random, id);
      return;
    }
    // A missing account becomes active after a while. After any other refusal, a new price is requested.
    await pause(500);
  }
  throw new Error(`no payment of ${person.id} was accepted`);
}

async function payOnce(workload: Workload, person: Person, random: Random): Promise<string | null> {
  const chosen = chooseRecipient(random);
  const recipient = workload.isCurrent === true ? await named(workload, person, random, chosen) : chosen;
  const paid = await payRecipient(workload, person, random, recipient);
  // A charge is paid once. The second payment is refused, unless the first one fails meanwhile.
  if (paid !== null && recipient.named.codeId !== undefined && random.happens(0.3))
    return (await payRecipient(workload, person, random, recipient)) ?? paid;
  return paid;
}

function chooseRecipient(random: Random): Recipient {
  const amountMinor = random.happens(0.12) ? random.pick(fatefulAmounts) : random.between(100, 30_000);
  const pixKey = random.happens(0.2)
    ? random.pick(fatefulKeys)
    : `shop-${random.between(1, 9_999)}@example.com`;
  return { amountMinor, pixKey, pixKeyType: 'email', named: {} };
}

async function payRecipient(
  { counts, orders }: Workload,
  { id: userId, client }: Person,
  random: Random,
  { amountMinor, pixKey, pixKeyType, named: by }: Recipient,
): Promise<string | null> {
  const quote = await client.ask({
    method: 'POST',
    path: '/pix/quote',
    json: { amountBrl: amountMinor / 100 },
  });
  if (quote.status !== 200) return refused(counts, quote);
  const quoteId = String(quote.body['quoteId']);
  const confirm = {
    method: 'POST' as const,
    path: '/pix/payments',
    json: { quoteId, pixKey, pixKeyType, ...by },
  };
  const copies = random.happens(0.15) ? random.pick([2, 2, 5]) : 1;
  const answers = await client.askConcurrently(copies, confirm);
  // Some users who are unsure press the button again later.
  if (random.happens(0.1)) {
    await pause(random.between(200, 3_000));
    answers.push(await client.ask(confirm));
  }
  const order: ClientOrder = {
    kind: 'payment',
    userId,
    key: quoteId,
    amountMinor,
    costMinor: Number(quote.body['sourceAmount']),
    expiresAt: String(quote.body['expiresAt']),
    pixKey,
    ...(by.codeId !== undefined && { codeId: by.codeId }),
    answers: answersIn(answers),
  };
  orders.write(order);
  const accepted = order.answers.find(({ id }) => id !== undefined)?.id;
  if (accepted === undefined) return refused(counts, answers[0]);
  if (random.happens(0.03)) {
    // The app has kept a used quote, and pays another merchant with it.
    const other = { quoteId, pixKey: 'another-shop@example.com', pixKeyType: 'email' };
    const answer = await client.ask({ ...confirm, json: other });
    orders.write({ ...order, pixKey: other.pixKey, answers: answersIn([answer]) } satisfies ClientOrder);
    refused(counts, answer);
  }
  return accepted;
}

/** Polls until the payment is final. Most users retry a failed payout, and some of them several times concurrently. */
async function watch(workload: Workload, person: Person, random: Random, id: string): Promise<void> {
  const { counts, isQuiet } = workload;
  const { client } = person;
  for (const begun = Date.now(); Date.now() - begun < WATCH_MS && !isQuiet(); await pause(WATCH_EVERY_MS)) {
    const { status } = (await client.ask({ method: 'GET', path: `/pix/payments/${id}` })).body;
    if (ends.has(String(status))) {
      // From now on, the balance must show the payment or its refund.
      await client.ask({ method: 'GET', path: '/me' });
      if (status === 'completed' && workload.isCurrent === true)
        await afterwards(workload, person, random, id);
      return;
    }
    if (status !== 'payout_failed') continue;
    if (!random.happens(0.8)) return;
    counts.retries += 1;
    await client.askConcurrently(random.pick([1, 1, 3]), {
      method: 'POST',
      path: `/pix/payments/${id}/retry`,
      headers: { 'idempotency-key': `retry-${id}-${random.between(1, 1e9)}` },
    });
  }
}

const ends = new Set(['completed', 'failed', 'refunded', 'manual_review']);

/** Amounts in centavos that the sandbox fails, delivers short, ends immediately, rejects or delays. */
const fatefulAmounts: [number, ...number[]] = [666, 777, 766, 888, 999, 333, 444, 555];
const fatefulKeys: [string, ...string[]] = [
  'fail@pix.example',
  'late@pix.example',
  'unknown@pix.example',
  'unknown@pix.example',
  'error@pix.example',
  'recover@pix.example',
  'recover@pix.example',
  'refund@pix.example',
  'return@pix.example',
  'slow@pix.example',
  'reject@pix.example',
  'instant@pix.example',
  'instantfail@pix.example',
];

/** The answers to every copy of a request. An accepted answer includes its id. */
export const answersIn = (answers: Answer[]): ClientOrder['answers'] =>
  answers.flatMap(({ tries, body: { pixPaymentId, id = pixPaymentId } }) =>
    tries.map((one) => (one.status !== null && one.status < 300 ? { ...one, id: String(id) } : one)),
  );

export function refused(counts: Counts, answer: Answer | undefined): null {
  const code = answer?.code ?? `status ${answer?.status}`;
  counts.refusals.set(code, (counts.refusals.get(code) ?? 0) + 1);
  return null;
}
