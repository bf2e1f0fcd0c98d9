// An accepted request is accepted again: once a client has received a 2xx, the same request is never refused, even if the quote has
// expired or the balance has been spent since.
import type { Books } from '../books.ts';
import type { Check } from '../counts.ts';

/**
 * How long a withdrawal of the same amount without a key counts as a repetition. A withdrawal that has failed ends this time early.
 */
const PLAIN_REPETITION_MS = 60_000;

export function acceptedAgain({ ours, seen }: Books, check: Check): void {
  const withdraws = new Map(ours.withdraws.map((row) => [row.id, row]));
  for (const { key, userId, answers } of seen.orders) {
    const accepted = answers
      .filter(({ id }) => id !== undefined)
      .toSorted((one, other) => one.answeredAt - other.answeredAt)[0];
    if (!accepted) continue;
    const row = withdraws.get(accepted.id ?? '');
    const untilMs =
      key !== null ? Infinity : row?.state === 'failed' ? 0 : accepted.sentAt + PLAIN_REPETITION_MS;
    for (const { sentAt, answeredAt, status, code } of answers)
      if (sentAt > accepted.answeredAt && answeredAt < untilMs)
        check(
          accepted.id ?? userId,
          status === null || status < 400 || status >= 500,
          `accepted, and then refused with ${status} ${code}`,
        );
  }
}
