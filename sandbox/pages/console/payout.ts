// The page of a payout: its account, the buttons that its state allows, its callbacks and ledger entries.

import { callbacksOf } from '../../console/recent-callbacks.ts';
import type { SandboxContext } from '../../context.ts';
import { writeAmount } from '../../money.ts';
import { contestationOf } from '../../provider/contestations.ts';
import type { PayoutStep } from '../../provider/payout-plan.ts';
import { AFTERWARDS, mayBecome, refundedOf } from '../../provider/payouts.ts';
import { lookupNamed } from '../../provider/pix-key-lookups.ts';
import { existing } from '../../provider/resources.ts';
import { plannedSteps } from '../../schedule.ts';
import type { PayoutRow } from '../../store/rows.ts';
import { type Choice, decide } from '../forms.ts';
import { type Html, html } from '../html.ts';
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
${contested(context, row)}${partForm(row)}
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
      [
        'Came back',
        refundedOf(row) === 0 ? null : `${writeAmount(refundedOf(row), row.currency)} ${row.currency}`,
      ],
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

/** The contestation of the payout, with the decisions while it is open. */
function contested(context: SandboxContext, { uuid }: PayoutRow): Html {
  const row = contestationOf(context, uuid);
  if (!row) return html``;
  const address = `/sandbox/payouts/${uuid}`;
  const forms = html`<form method="post">
<label>What comes back, empty for all <input name="amount" inputmode="decimal" placeholder="75.00" autocomplete="off"></label>
<div class="choices"><button formaction="${address}/accept" aria-describedby="means-accept">Accept</button>
<span id="means-accept">The recipient bank returns it.</span>
<button formaction="${address}/reject" class="danger" aria-describedby="means-reject">Reject</button>
<span id="means-reject">Nothing comes back.</span></div></form>`;
  return html`<section id="contested"><h2>Contested as ${row.reason} ${badge(row.status)}</h2>${row.status === 'OPEN' ? forms : ''}</section>`;
}

function partForm({ uuid, status }: PayoutRow): Html {
  if (status !== 'COMPLETED') return html``;
  return html`<section><h2>Return a part</h2><form method="post" action="/sandbox/payouts/${uuid}/refund-part">
<label>Amount <input name="amount" required inputmode="decimal" placeholder="75.00" autocomplete="off"></label>
<div><button class="second">Return this part</button></div></form></section>`;
}
