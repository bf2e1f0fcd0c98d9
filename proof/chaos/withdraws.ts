// A user withdraws, mostly with an Idempotency-Key, sometimes relying on the recognition of the same amount.
import { randomUUID } from 'node:crypto';
import type { ClientOrder } from '../audit/evidence.ts';
import type { Random } from '../random.ts';
import type { Person } from '../stack/people.ts';
import { checkedName } from './beside-paying.ts';
import { answersIn, refused, type Workload } from './payments.ts';

const MAX_TRIES = 10;

/**
 * Tries until a withdrawal is accepted.
 * @throws if none is.
 */
export async function withdraw(workload: Workload, person: Person, random: Random): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1)
    if (await withdrawOnce(workload, person, random)) {
      workload.counts.accepted.withdraws += 1;
      return;
    }
  throw new Error(`no withdrawal of ${person.id} was accepted`);
}

async function withdrawOnce(workload: Workload, person: Person, random: Random): Promise<boolean> {
  const { counts, orders, isCurrent = false } = workload;
  const { id: userId, client, nextPlainAmount } = person;
  const key = random.happens(0.75) ? randomUUID() : null;
  const keyedAmount = random.happens(0.25) ? random.pick(fatefulAmounts) : random.between(100, 5_000);
  const amountMinor = key === null ? nextPlainAmount() : keyedAmount;
  const accepted = isCurrent && random.happens(0.6) ? await checkedName(workload, person) : {};
  const request = {
    method: 'POST' as const,
    path: '/withdraws',
    json: { amount: amountMinor, ...accepted },
    ...(key !== null && { headers: { 'idempotency-key': key } }),
  };
  const answers = await client.askConcurrently(random.happens(0.15) ? random.pick([2, 2, 5]) : 1, request);
  orders.write({
    kind: 'withdraw',
    userId,
    key,
    amountMinor,
    costMinor: amountMinor,
    answers: answersIn(answers),
  } satisfies ClientOrder);
  if (answers.some(({ status }) => status < 300)) return true;
  refused(counts, answers[0]);
  return false;
}

/** Amounts in minor units that the sandbox fails, returns, ends immediately, rejects or delays. */
const fatefulAmounts: [number, ...number[]] = [1313, 1414, 1515, 1616, 1717, 1818, 1919];
