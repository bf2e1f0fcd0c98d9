// A payment is paid or returned, never both. Only an operator begins a return, after a failed payout, and it takes at most the
// payment's own BRL.
import type { Books } from '../books.ts';
import type { Check } from '../counts.ts';

export function isPaidOrReturned({ ours, transitionsOf, transferOf, payoutOf }: Books, check: Check): void {
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
