// The page of a conversion: both accounts, the buttons that end it, its callbacks and ledger entries.

import { callbacksOf } from '../../console/recent-callbacks.ts';
import type { SandboxContext } from '../../context.ts';
import { writeAmount } from '../../money.ts';
import { currencyOf } from '../../provider/accounts.ts';
import { existing } from '../../provider/resources.ts';
import { plannedSteps } from '../../schedule.ts';
import { type Choice, decide } from '../forms.ts';
import { html } from '../html.ts';
import { badge, facts, fullTime, ledgerLink, link, resourcePage } from '../parts.ts';
import { callbacksSection, injectedFaults, planned } from '../sections.ts';

const CHOICES: Choice[] = [
  { action: 'complete', label: 'Complete', meaning: 'The destination account is credited.' },
  { action: 'fail', label: 'Fail', meaning: 'The money goes back to the source account.', kind: 'danger' },
];

export function transferPage(context: SandboxContext, uuid: string, done?: string): string {
  const row = existing(context, 'transfers', uuid);
  const [from, to] = [
    currencyOf(context, row.source_account_uuid),
    currencyOf(context, row.destination_account_uuid),
  ];
  const isPending = row.status === 'PENDING';
  return resourcePage(
    {
      title: `Conversion of ${writeAmount(row.source_amount, from)} ${from}`,
      place: 'conversions',
      address: `/console/transfers/${uuid}`,
      done,
    },
    html`<a href="/console/transfers">Conversions</a>`,
    html`<h1>${writeAmount(row.source_amount, from)} ${from} to ${writeAmount(row.destination_amount, to)} ${to} ${badge(row.status)}</h1>
<p>A conversion at a quote. The source is debited when it is created, the destination credited when it completes.</p>
${decide(
  {
    address: `/sandbox/transfers/${uuid}`,
    baseUrl: context.baseUrl,
    choices: isPending ? CHOICES : [],
    isPlanned: isPending && plannedSteps(context, uuid).length > 0,
  },
  'It has ended: that is final.',
)}
<section>${facts([
      ['Uuid', html`<code>${uuid}</code>`],
      ['Handle', html`<code>${row.origin_id}</code>`],
      ['From', link('accounts', row.source_account_uuid, `account in ${from}`)],
      ['To', link('accounts', row.destination_account_uuid, `account in ${to}`)],
      ['Rate', row.rate],
      ['Reason', row.failure_reason],
      ['Planned', planned(context, uuid)],
      ['Ledger', ledgerLink('reference', row.origin_id, 'its entries')],
      ['Changed', fullTime(row.updated_at)],
    ])}</section>
${callbacksSection(callbacksOf(context, uuid), row.callback_url)}${injectedFaults(context, uuid)}`,
  );
}
