// The page of an account: its balance, a deposit form, its movements, payments and callbacks.

import { callbacksOf } from '../../console/recent-callbacks.ts';
import type { SandboxContext } from '../../context.ts';
import { balance, customer } from '../../ledger.ts';
import { writeAmount } from '../../money.ts';
import { existing } from '../../provider/resources.ts';
import { plannedSteps } from '../../schedule.ts';
import type { AccountRow } from '../../store/rows.ts';
import { decide, depositTo } from '../forms.ts';
import { type Html, html } from '../html.ts';
import { badge, facts, ledgerLink, link, onThePhone, resourcePage } from '../parts.ts';
import { callbacksSection, injectedFaults, movementsSection, paymentsSection, planned } from '../sections.ts';

export function accountPage(context: SandboxContext, uuid: string, done?: string): string {
  const row = existing(context, 'accounts', uuid);
  const name = existing(context, 'owners', row.owner_uuid).full_name ?? 'without a name';
  return resourcePage(
    {
      title: `Account in ${row.currency} of ${name}`,
      place: 'accounts',
      address: `/console/accounts/${uuid}`,
      done,
    },
    html`<a href="/console/accounts">Accounts</a>`,
    html`<h1>${writeAmount(balance(context, customer(uuid)), row.currency)} ${row.currency} ${badge(row.status)}</h1>
<p>The account in ${row.currency} of ${link('owners', row.owner_uuid, name)}.</p>
${row.status === 'ACTIVE' ? deposit(row) : activation(context, row)}
<section>${facts([
      ['Uuid', html`<code>${uuid}</code>`],
      ['Handle', html`<code>${row.external_id}</code>`],
      ['Bank details', details(row)],
      ['On the phone', onThePhone(context, row.account_number ?? row.iban, 'its bank details')],
      ['Planned', planned(context, uuid)],
      ['Ledger', ledgerLink('account', customer(uuid), 'its entries')],
    ])}</section>
${movementsSection(context, uuid)}${paymentsSection(context, uuid)}
${callbacksSection(callbacksOf(context, uuid), row.callback_url)}${injectedFaults(context, uuid)}`,
  );
}

const activation = (context: SandboxContext, { uuid }: AccountRow): Html =>
  decide(
    {
      address: `/sandbox/accounts/${uuid}`,
      baseUrl: context.baseUrl,
      choices: [
        { action: 'activate', label: 'Activate', meaning: 'The account can be used, and has bank details.' },
      ],
      isPlanned: plannedSteps(context, uuid).length > 0,
    },
    '',
  );

const deposit = ({
  uuid,
  currency,
}: AccountRow): Html => html`<section id="deposit" hx-morph-skip><h2>Pay in ${currency}</h2>
<p>Money from outside, as a paying bank would send it.</p>${depositTo(uuid)}</section>`;

function details({ sort_code, account_number, iban, bic }: AccountRow): Html | null {
  if (sort_code !== null)
    return html`sort code <code>${sort_code}</code>, account number <code>${account_number ?? ''}</code>`;
  return iban === null ? null : html`IBAN <code>${iban}</code>, BIC <code>${bic ?? ''}</code>`;
}
