// There is at most one payout per origin id, at most one per charge that is pending or completed, and at most one debit per quote.
// Movements are counted, because they show what really moved.
import { type Books, netOf } from '../books.ts';
import type { Check } from '../counts.ts';
import { LATE_COMPLETION } from '../rules/provider-faults.ts';
import { refundsIn } from '../theirs-rows.ts';

export function onePayoutOneDebit({ ours, theirs, movementsOf }: Books, check: Check): void {
  for (const [handle, same] of Map.groupBy(theirs.payouts, ({ origin_id: id }) => id))
    check(handle, same.length === 1, `${same.length} payouts under one origin id`);
  const ofCharges = theirs.payouts.filter(
    ({ charge_uuid: charge, status }) => charge !== null && (status === 'PENDING' || status === 'COMPLETED'),
  );
  // A twin is under the same origin id, and counted above.
  for (const [charge, same] of Map.groupBy(ofCharges, ({ charge_uuid: uuid }) => uuid)) {
    const handles = new Set(same.map(({ origin_id: handle }) => handle));
    check(String(charge), handles.size === 1, `${handles.size} payouts of one charge`);
  }
  const late = new Set(
    theirs.injected.filter(({ kind }) => kind === LATE_COMPLETION).map((fault) => fault.resource_uuid),
  );
  for (const payout of theirs.payouts) {
    const { uuid, origin_id: handle, amount, attempt, status } = payout;
    const partMinor = refundsIn(payout).reduce((sum, part) => sum + part.amount, 0);
    const movements = movementsOf(handle);
    const debits = movements.filter(({ direction }) => direction === 'DEBIT');
    const isOut = status === 'PENDING' || status === 'COMPLETED';
    // The provider pays a late completion that the account does not cover any more.
    const isUncovered = late.has(uuid) && debits.length === attempt;
    const due = late.has(uuid) && !isUncovered ? attempt + 1 : attempt;
    check(handle, debits.length === due, `${debits.length} debits in ${attempt} attempts`);
    check(
      handle,
      debits.every((debit) => debit.amount === amount) &&
        netOf(movements) === (isOut && !isUncovered ? partMinor - amount : 0),
      `${status}, yet ${netOf(movements)} moved for ${amount}`,
    );
  }

  for (const [quote, same] of Map.groupBy(theirs.transfers, ({ quote_uuid: uuid }) => uuid))
    check(quote, same.length === 1, `${same.length} conversions with one quote`);
  for (const row of theirs.transfers) {
    const moved = movementsOf(row.origin_id);
    const debits = moved.filter(
      ({ direction, account_uuid: at }) => direction === 'DEBIT' && at === row.source_account_uuid,
    );
    check(row.origin_id, debits.length === 1, `${debits.length} debits of one conversion`);
  }

  for (const [quote, same] of Map.groupBy(ours.payments, ({ quote_id: id }) => id))
    check(quote, same.length === 1, `${same.length} payments with one quote`);
  const quotes = new Map(ours.quotes.map((quote) => [quote.id, quote]));
  const transfers = new Map(theirs.transfers.map((row) => [row.quote_uuid, row]));
  for (const { id, quote_id: quoteId, source_amount_minor: promised, state } of ours.payments) {
    const locked = quotes.get(quoteId);
    const taken = locked && transfers.get(locked.provider_quote_id);
    check(id, locked?.source_amount_minor === promised, `promised ${promised} for another price`);
    // A failed conversion has returned what it took. If more was taken than quoted, an operator decides.
    const isKept =
      taken &&
      netOf(movementsOf(taken.origin_id).filter((one) => one.account_uuid === taken.source_account_uuid)) !==
        0;
    if (isKept && !(taken.source_amount > promised && state === 'manual_review'))
      check(id, taken.source_amount === promised, `${taken.source_amount} taken instead of ${promised}`);
  }
}
