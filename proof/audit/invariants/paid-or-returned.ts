// A payment is paid or returned, never both. Only an operator begins a return, after a failed payout, and it takes at most the
// payment's own BRL.
import type { Books } from '../books.ts';
import type { Check } from '../counts.ts';
import { handles } from '../rules/handles.ts';
import { refundsIn } from '../theirs-rows.ts';

export function isPaidOrReturned(books: Books, check: Check): void {
  arePartsConvertedOnce(books, check);
  const { ours, transitionsOf, transferOf, payoutOf } = books;
  for (const { id, amount_brl_minor: amountBrl } of ours.payments) {
    const history = transitionsOf(id);
    const begun = history.filter(({ event }) => event === 'return.requested');
    const back = transferOf(id, 'return');
    check(id, begun.length <= 1, `${begun.length} returns were begun`);
    if (back === undefined) continue;
    check(
      id,
      begun.length === 1 && begun[0]?.cause_kind === 'operator' && begun[0].from_state === 'payout_failed',
      'its BRL was converted back without an operator’s return',
    );
    check(
      id,
      back.source_amount <= amountBrl,
      `the return took ${back.source_amount} of ${amountBrl} centavos`,
    );
    const isPaid = payoutOf(id)?.status === 'COMPLETED';
    check(id, back.status !== 'COMPLETED' || !isPaid, 'it was paid and returned');
    const retried = history.findLast(({ event }) => event === 'retry')?.seq ?? 0;
    check(id, retried < (begun[0]?.seq ?? 0), 'its payout was issued again after the return');
  }
}

/** A part that came back is recorded once, as the provider booked it, and converted at most once, by an operator. */
function arePartsConvertedOnce({ ours, theirs, transitionsOf, payoutOf }: Books, check: Check): void {
  const transfers = Map.groupBy(theirs.transfers, ({ origin_id: handle }) => handle);
  for (const refund of ours.refunds) {
    const { id, payment_id: payment, movement_ref: movement, amount_brl_minor: amount, attempt } = refund;
    const payout = payoutOf(payment);
    const part = payout && refundsIn(payout).find((one) => one.movement === movement);
    check(id, part?.amount === amount, `${amount} centavos came back, ${part?.amount} by the provider`);
    const handlesOfPart = Array.from({ length: attempt + 1 }, (_, index) =>
      handles.partial(movement, index + 1),
    );
    const done = handlesOfPart
      .flatMap((handle) => transfers.get(handle) ?? [])
      .filter(({ status }) => status === 'COMPLETED');
    check(
      id,
      done.length === (refund.state === 'converted' ? 1 : 0),
      `${refund.state} with ${done.length} conversions`,
    );
    check(
      id,
      done.every(
        (one) => one.source_amount === amount && one.destination_amount === refund.home_credit_minor,
      ),
      'its conversion moved other amounts',
    );
    const begun = transitionsOf(id).filter(({ event }) => event === 'conversion.requested');
    check(
      id,
      begun.every(({ cause_kind: cause }) => cause === 'operator'),
      'no operator converted it',
    );
  }
  const recorded = new Set(ours.refunds.map(({ movement_ref: movement }) => movement));
  const payments = new Map(ours.payments.map(({ id, state }) => [id, state]));
  for (const { subject_id: id, kind } of ours.resources) {
    const payout = kind === 'payout' && payments.get(id) === 'completed' ? payoutOf(id) : undefined;
    for (const { movement } of payout ? refundsIn(payout) : [])
      check(id, recorded.has(movement), `the part ${movement} came back, and no row here says so`);
  }
}
