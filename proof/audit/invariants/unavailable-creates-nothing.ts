// 429, 502, and 503 `overloaded` mean that nothing was created: no row appeared while such a request was in progress, unless a
// repetition of the same request, which was in progress as well, may have created it.
import type { Books } from '../books.ts';
import type { Check } from '../counts.ts';
import type { ClientAnswer } from '../evidence.ts';

export function unavailableCreatesNothing({ ours, seen }: Books, check: Check): void {
  const created = new Map(
    [...ours.payments, ...ours.withdraws].map((row) => [row.id, row.created_at.getTime()]),
  );
  const byQuote = new Map(ours.payments.map((row) => [`quote_${row.quote_id}`, row.id]));
  for (const { key, userId, answers } of seen.orders) {
    const id = byQuote.get(key ?? '') ?? answers.find((answer) => answer.id !== undefined)?.id;
    const createdAt = created.get(id ?? '');
    for (const answer of answers) {
      if (answer.status !== 429 && answer.status !== 502 && answer.code !== 'overloaded') continue;
      const others = answers.filter((other) => other !== answer);
      check(
        id ?? key ?? userId,
        createdAt === undefined ||
          !isWithin(createdAt, answer) ||
          others.some((other) => mayHaveCreated(createdAt, other)),
        `it was created by a request that was answered ${answer.status}`,
      );
    }
  }
}

const isWithin = (atMs: number, { sentAt, answeredAt }: ClientAnswer): boolean =>
  atMs >= sentAt && atMs <= answeredAt;

/** An unanswered request may stay in progress without limit. A request answered with 4xx or 502 created nothing. */
const mayHaveCreated = (atMs: number, { sentAt, answeredAt, status }: ClientAnswer): boolean =>
  atMs >= sentAt &&
  (status === null || status === 500 || status === 503 || (status < 300 && atMs <= answeredAt));
