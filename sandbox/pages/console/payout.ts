// The page of a payout: its account, the buttons that its state allows, its callbacks and ledger entries.

import { callbacksOf } from '../../console/recent-callbacks.ts';
import type { SandboxContext } from '../../context.ts';
import { writeAmount } from '../../money.ts';
import type { PayoutStep } from '../../provider/payout-plan.ts';
import { AFTERWARDS, mayBecome } from '../../provider/payouts.ts';
import { lookupNamed } from '../../provider/pix-key-lookups.ts';
import { existing } from '../../provider/resources.ts';
import { plannedSteps } from '../../schedule.ts';
import type { PayoutRow } from '../../store/rows.ts';
import { type Choice, decide } from '../forms.ts';
import { html } from '../html.ts';
import { badge, destination, facts, fullTime, ledgerLink, link, onThePhone, resourcePage } from '../parts.ts';
import { callbacksSection, injectedFaults, planned } from '../sections.ts';

const CHOICES: (Choice & { to: PayoutStep['status'] })[] = [
  { to: 'COMPLETED', action: 'complete', label: 'Complete', meaning: 'The money arrives at the recipient.' },
  {
    to: 'FAILED',
    action: 'fail',
    label: 'Fail',
    meaning: 'The recipient bank refuses it; the money goes back.',
    kind: 'danger',
  },
  {
    to: 'ERROR',
    action: 'error',
    label: 'Error',
    meaning: 'The scheme does not answer; the money goes back.',
    kind: 'danger',
  },
  {
    to: 'REFUNDED',
    action: 'refund',
    label: 'Return',
    meaning: 'The recipient bank sends it back.',
    kind: 'second',
  },
];

/** The name that the payer saw. Null if no look-up was named, or an unknown one. */
const lookedUpAs = (context: SandboxContext, row: PayoutRow): string | null =>
  lookupNamed(context, row.lookup_uuid)?.recipient_name ?? null;

export function payoutPage(context: SandboxContext, uuid: string, done?: string): string {
  const row = existing(context, 'payouts', uuid);
  const amount = `${writeAmount(row.amount, row.currency)} ${row.currency}`;
  return resourcePage(
    { title: `Payout of ${amount}`, place: 'payouts', address: `/console/payouts/${uuid}`, done },
    html`<a href="/console/payouts">Payouts</a>`,
    html`<h1>${amount} by ${row.rail} ${badge(row.status)}</h1>
<p>A payout. The account was debited when it was created; unless it arrives, the money goes back there.</p>
${decide(
  {
    address: `/sandbox/payouts/${uuid}`,
    baseUrl: context.baseUrl,
    choices: CHOICES.filter(({ to }) => mayBecome(row.status, to)),
    isPlanned: plannedSteps(context, uuid).length > 0,
  },
  `The payout is ${row.status}: ${AFTERWARDS[row.status]}.`,
)}
<section>${facts([
      ['Uuid', html`<code>${uuid}</code>`],
      ['Handle', html`<code>${row.origin_id}</code>`],
      ['From', link('accounts', row.source_account_uuid, `account in ${row.currency}`)],
      ['To', destination(row)],
      ['Looked up as', lookedUpAs(context, row)],
      ['Charge', row.charge_uuid && html`<code>${row.charge_uuid}</code>`],
      ['Attempt', String(row.attempt)],
      ['End-to-end id', row.end_to_end_id && html`<code>${row.end_to_end_id}</code>`],
      ['Voucher', row.voucher_id && html`<code>${row.voucher_id}</code>`],
      ['On the phone', onThePhone(context, row.end_to_end_id, 'the payment')],
      ['Reason', row.failure_reason],
      ['Failure code', row.failure_code],
      ['Limit', row.failure_limit],
      ['May be issued again from', row.retry_from],
      ['Planned', planned(context, uuid)],
      ['Ledger', ledgerLink('reference', row.origin_id, 'its entries')],
      ['Changed', fullTime(row.updated_at)],
    ])}</section>
${callbacksSection(callbacksOf(context, uuid), row.callback_url)}${injectedFaults(context, uuid)}`,
  );
}
