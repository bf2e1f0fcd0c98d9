// The page of a movement, with links: after a deposit, to the account and to the callback that reports it.

import { callbacksOf } from '../../console/recent-callbacks.ts';
import type { SandboxContext } from '../../context.ts';
import { customer } from '../../ledger.ts';
import { refuse } from '../../provider/refusal.ts';
import { existing } from '../../provider/resources.ts';
import type { MovementRow } from '../../store/rows.ts';
import { type Html, html } from '../html.ts';
import { facts, fullTime, ledgerLink, link, resourcePage } from '../parts.ts';
import { callbacksSection, signedAmount } from '../sections.ts';

export function movementPage(context: SandboxContext, uuid: string, done?: string): string {
  const row = context.store.get<MovementRow>('select * from movements where uuid = ?', uuid);
  if (!row) throw refuse('not_found', 'no such movement');
  const holder = existing(context, 'accounts', row.account_uuid);
  const callbacks = callbacksOf(context, holder.uuid).filter(({ body }) => body.includes(uuid));
  return resourcePage(
    {
      title: `Movement ${signedAmount(row)}`,
      place: 'accounts',
      address: `/console/movements/${uuid}`,
      done,
    },
    html`<a href="/console/accounts">Accounts</a> › ${link('accounts', holder.uuid, `account in ${row.currency}`)}`,
    html`<h1>${signedAmount(row)}</h1>
<p>A movement of kind ${row.kind} on ${link('accounts', holder.uuid, 'the account')}. Movements never change.</p>
<section>${facts([
      ['Uuid', html`<code>${uuid}</code>`],
      ['Kind', row.kind],
      ['Reference', row.source_reference && reference(row)],
      ['Time', fullTime(row.created_at)],
      ['Ledger', ledgerLink('account', customer(holder.uuid), 'entries of the account')],
    ])}</section>
${callbacksSection(callbacks, holder.callback_url)}`,
    html`<p><a href="/console/accounts/${holder.uuid}#deposit">Pay in once more</a></p>`,
  );
}

const reference = ({ source_reference }: MovementRow): Html =>
  ledgerLink('reference', source_reference ?? '', source_reference ?? '');
