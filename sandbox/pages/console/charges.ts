// The page of the charges: what dynamic codes ask to be paid. A tester makes one, and pays its code in the app.

import type { SandboxContext } from '../../context.ts';
import { writeAmount } from '../../money.ts';
import { codeOf, isOver, latestCharges, payoutOf } from '../../provider/charges.ts';
import type { ChargeRow } from '../../store/rows.ts';
import { type Html, html } from '../html.ts';
import { badge, columnTime, empty, link, resourcePage, table } from '../parts.ts';

export function chargesPage(context: SandboxContext, done?: string): string {
  const rows = latestCharges(context).map((row) => [
    html`<code>${codeOf(row)}</code>`,
    row.recipient_name,
    amountOf(row),
    statusOf(context, row),
    row.expires_at === null ? 'never' : columnTime(row.expires_at),
  ]);
  const columns = [
    { name: 'Code' },
    { name: 'Recipient' },
    { name: 'Amount', isNumber: true as const },
    { name: 'Status' },
    { name: 'Expires (UTC)' },
  ];
  return resourcePage(
    { title: 'Charges', place: 'charges', address: '/console/charges', done },
    html`<a href="/console">Console</a>`,
    html`<h1>Charges</h1>
<p>What dynamic PIX codes ask to be paid. Make a charge as a shop does, and paste its code in the app. A charge is paid once.</p>
${form}
${rows.length === 0 ? empty('No charge yet', html`Make one with the form.`) : html`<section><h2>Latest charges</h2>${table('Charges', columns, rows)}</section>`}`,
  );
}

const form = html`<section id="charge" hx-morph-skip><h2>Make a charge</h2>
<form method="post" action="/sandbox/charges">
  <label>Amount in BRL <input name="amount" inputmode="decimal" placeholder="12.50" autocomplete="off"></label>
  <label>The payer may change it <select name="payerDecides"><option value="no">no</option><option value="yes">yes</option></select></label>
  <label>It expires in <select name="expiresInSeconds"><option value="3600">an hour</option><option value="660">eleven minutes</option>
  <option value="300">five minutes</option><option value="0">no time: it has expired</option></select></label>
  <label>PIX key of the shop, an e-mail address <input name="pixKey" type="email" placeholder="padaria@pix.example" autocomplete="off"></label>
  <div><button>Make it</button></div>
</form></section>`;

const amountOf = ({ amount, amount_is_fixed }: ChargeRow): string =>
  amount === null
    ? 'the payer decides'
    : `${writeAmount(amount, 'BRL')}${amount_is_fixed === 1 ? '' : ' or another'}`;

function statusOf(context: SandboxContext, row: ChargeRow): Html {
  const payout = payoutOf(context, row.uuid);
  if (payout) return html`${badge(payout.status)} ${link('payouts', payout.uuid, 'payout')}`;
  return html`${isOver(context, row) ? 'expired' : 'open'}`;
}
