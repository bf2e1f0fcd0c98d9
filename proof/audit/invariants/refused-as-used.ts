// 409 quote_already_used is answered only if the quote has made a payment to another recipient. A request with the same recipient
// is answered with the existing payment.
import type { Books } from '../books.ts';
import type { Check } from '../counts.ts';
import { refusalsIn } from '../evidence.ts';

export function refusedAsUsed({ ours, seen, payoutOf }: Books, check: Check): void {
  const byQuote = new Map(ours.payments.map((row) => [`quote_${row.quote_id}`, row]));
  const askedFor = new Map(
    seen.orders.flatMap(({ pixKey, answers }) =>
      answers.flatMap(({ id }) => (id === undefined ? [] : [[id, pixKey] as const])),
    ),
  );
  /** The recipient of a payment, from the client's record or from the provider's. */
  const recipientOf = (paymentId: string): string | undefined => {
    const destination = payoutOf(paymentId)?.destination;
    return destination === undefined
      ? askedFor.get(paymentId)
      : (JSON.parse(destination) as { pix_key?: string }).pix_key;
  };
  for (const { order, answer } of refusalsIn(seen)) {
    if (answer.code !== 'quote_already_used') continue;
    const row = byQuote.get(order.key ?? '');
    // Two recipients can race for one quote. The loser is refused after the winner was accepted, never before.
    const wasUsed = row !== undefined && row.created_at.getTime() <= answer.answeredAt;
    check(order.key ?? '', wasUsed, 'refused as used before it had paid anybody');
    if (row)
      check(
        row.id,
        recipientOf(row.id) !== order.pixKey,
        'refused as used to the very recipient it has paid',
      );
  }
}
