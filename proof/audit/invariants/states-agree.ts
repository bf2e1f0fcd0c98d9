// The service's states equal the provider's: each row's expected state is computed from the provider's objects alone, then
// compared.
import type { Books } from '../books.ts';
import type { Check } from '../counts.ts';
import type { Payment } from '../ours-rows.ts';
import type { PayoutRow, TransferRow } from '../theirs-rows.ts';

export function statesAgree(books: Books, check: Check): void {
  const { ours, theirs, payoutOf, resourcesOf } = books;
  const compare = (id: string, is: string, should: string) =>
    check(id, is === should, `${is} here, ${should} by what the provider holds`);

  for (const payment of ours.payments) compare(payment.id, payment.state, paymentState(books, payment));
  for (const { id, state } of ours.withdraws) compare(id, state, withdrawState(payoutOf(id)));
  const owners = new Map(theirs.owners.map((owner) => [owner.external_id, owner.status]));
  for (const { id, state } of ours.verifications) {
    const handle = resourcesOf(id).find(({ kind }) => kind === 'owner')?.handle ?? '';
    compare(id, state, (owners.get(handle) ?? 'PENDING').toLowerCase());
  }
  const contestations = new Map(theirs.contestations.map((one) => [one.origin_id, one.status.toLowerCase()]));
  for (const { id, state } of ours.contestations) {
    const handle = resourcesOf(id).find(({ kind }) => kind === 'contestation')?.handle ?? '';
    // A contestation that the provider refused does not exist there.
    compare(id, state, contestations.get(handle) ?? (state === 'refused' ? state : 'requested'));
  }
  const accounts = new Map(theirs.accounts.map((account) => [account.uuid, account.status]));
  for (const { id, state, provider_account_id: uuid } of ours.accounts)
    compare(id, state, accounts.get(uuid ?? '') === 'ACTIVE' ? 'active' : 'provisioning');
}

/** Checks the provider's objects from last to first: the last existing object decides. */
function paymentState(books: Books, payment: Payment): string {
  const { transferOf, payoutOf } = books;
  const payout = payoutOf(payment.id);
  const isDirect = payment.flow === 'direct';
  const first = transferOf(payment.id, isDirect ? 'direct' : 'leg1');
  const back = transferOf(payment.id, 'return');
  if (back && first) return returnedState(first, back, payout);
  if (payout) return refusedReturn(books, payment) ?? paidState[payout.status];
  if (!first || first.status === 'FAILED') return 'failed';
  if (first.status === 'PENDING') return isDirect ? 'converting.direct' : 'converting.leg1';
  // More was taken from the customer than was quoted, so an operator decides.
  if (first.source_amount > payment.source_amount_minor) return 'manual_review';
  const intoReais = isDirect ? first : transferOf(payment.id, 'leg2');
  const reverse = transferOf(payment.id, 'reverse');
  if (intoReais?.status === 'COMPLETED')
    // There is no payout: the provider refused to create one.
    return !reverse && intoReais.destination_amount === payment.amount_brl_minor
      ? (refusedReturn(books, payment) ?? 'payout_failed')
      : 'manual_review';
  if (intoReais?.status === 'PENDING') return 'converting.leg2';
  if (reverse?.status === 'PENDING') return 'refunding';
  return isWhole(first, reverse) ? 'refunded' : 'manual_review';
}

/** The BRL of a failed payout was converted back. If the payout also arrived or was returned, an operator decides. */
function returnedState(paid: TransferRow, back: TransferRow, payout: PayoutRow | undefined): string {
  if (payout && payout.status !== 'FAILED' && payout.status !== 'ERROR') return 'manual_review';
  if (back.status === 'PENDING') return 'refunding';
  return isWhole(paid, back) ? 'refunded' : 'manual_review';
}

/** A return that the provider refused to convert has no object there. Only our history shows it. */
const refusedReturn = ({ transitionsOf }: Books, { id }: Payment): string | null =>
  transitionsOf(id).some(({ event }) => event === 'return.failed') ? 'manual_review' : null;

const isWhole = (paid: TransferRow, back: TransferRow | undefined): boolean =>
  back?.status === 'COMPLETED' && back.destination_amount === paid.source_amount;

const paidState: Record<PayoutRow['status'], string> = {
  PENDING: 'paying',
  COMPLETED: 'completed',
  FAILED: 'payout_failed',
  ERROR: 'payout_failed',
  REFUNDED: 'manual_review',
};

function withdrawState(payout: PayoutRow | undefined): string {
  if (payout?.status === 'PENDING') return 'settling';
  return payout?.status === 'COMPLETED' ? 'completed' : 'failed';
}
