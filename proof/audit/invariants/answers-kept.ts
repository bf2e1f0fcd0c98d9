// The service keeps what it answered: every acknowledged order is a row of that user, repeating the request never created a second
// row, and a definitive refusal created nothing.
import type { Books } from '../books.ts';
import type { Check } from '../counts.ts';
import type { ClientOrder } from '../evidence.ts';
import { endOf } from '../funds.ts';

export function answersAreKept(books: Books, check: Check): void {
  const { ours, seen, payoutOf, transitionsOf } = books;
  const payments = new Map(ours.payments.map((row) => [row.id, row]));
  const byQuote = new Map(ours.payments.map((row) => [`quote_${row.quote_id}`, row]));
  const withdraws = new Map(ours.withdraws.map((row) => [row.id, row]));
  const answered = new Set(seen.orders.flatMap((order) => idsIn(order)));

  const eachAfterFailure = (ids: string[]): boolean =>
    ids
      .flatMap((id) => withdraws.get(id) ?? [])
      .toSorted((one, other) => one.created_at.getTime() - other.created_at.getTime())
      .every(
        ({ id, state }, nth, { [nth + 1]: next }) =>
          next === undefined ||
          (state === 'failed' &&
            endOf(transitionsOf(id)) - seen.clocksDifferByMs <= next.created_at.getTime()),
      );

  for (const order of seen.orders) {
    const ids = idsIn(order);
    const row = order.kind === 'payment' ? payments.get(ids[0] ?? '') : withdraws.get(ids[0] ?? '');
    if (ids.length === 0) {
      const left = order.kind === 'payment' ? byQuote.get(order.key ?? '') : undefined;
      check(
        left?.id ?? order.key ?? '',
        // If a quote is refused as used, another order made the payment with it.
        left === undefined || answered.has(left.id),
        `refused (${codesIn(order)}), yet a payment is there`,
      );
      continue;
    }
    check(ids[0] ?? '', row?.user_id === order.userId, `the ${order.kind} was acknowledged and is not there`);
    if (!row) continue;
    const amount = 'amount_brl_minor' in row ? row.amount_brl_minor : row.amount_minor;
    check(row.id, amount === order.amountMinor, `asked for ${order.amountMinor}, recorded as ${amount}`);
    // Without a key, a request after a failure is a new withdrawal.
    const mayDiffer = order.key === null && ids.every((id) => withdraws.has(id)) && eachAfterFailure(ids);
    check(row.id, ids.length === 1 || mayDiffer, `one order, answered with ${ids.join(' and ')}`);
    const destination = order.pixKey === undefined ? null : payoutOf(row.id)?.destination;
    if (destination)
      check(
        row.id,
        (JSON.parse(destination) as { pix_key?: string }).pix_key === order.pixKey,
        'paid to somebody else',
      );
  }
}

const idsIn = ({ answers }: ClientOrder): string[] => [
  ...new Set(answers.flatMap(({ id }) => (id === undefined ? [] : [id]))),
];

const codesIn = ({ answers }: ClientOrder): string =>
  answers.map(({ status, code }) => code ?? status).join(', ');
