// The sections of a resource's page: its planned steps, callbacks, movements, payments and faults.
import type { LoggedCallback } from '../callback-log.ts';
import { movementsOf, paymentsOf } from '../console/lists.ts';
import type { SandboxContext } from '../context.ts';
import { writeAmount } from '../money.ts';
import { currencyOf } from '../provider/accounts.ts';
import { plannedSteps } from '../schedule.ts';
import type { MovementRow } from '../store/rows.ts';
import { isoTime } from '../time.ts';
import { type Html, html } from './html.ts';
import { badge, columnTime, fullTime, link, SINGULAR, table, timeOfDay } from './parts.ts';

export function planned(context: SandboxContext, uuid: string): Html | null {
  const steps = plannedSteps(context, uuid);
  if (steps.length === 0) return null;
  return html`${steps.map(({ status, due_at }, at) => html`${at === 0 ? '' : html`<br>`}${badge(status)} at ${fullTime(Date.parse(due_at))}`)}`;
}

export const itemId = ({ id }: { id: number }): string => `callback-${id}`;

export const callbackItem = (callback: LoggedCallback): Html => html`<li id="${itemId(callback)}">
<span class="when">${timeOfDay(callback.createdAt)}</span>
<span class="what"><a href="/console/callbacks/${callback.id}"><code>${callback.event}</code></a> ${summary(callback)}
<br><span class="how">${link(callback.resource, callback.uuid, html`${SINGULAR[callback.resource]} <code>…${callback.uuid.slice(-8)}</code>`)} · ${delivery(callback)}</span></span>
<span class="state">${badge(callback.state)}</span></li>`;

/** Summarises what the body reports in a few words. */
function summary({ body }: LoggedCallback): string {
  const { data } = JSON.parse(body) as { data: Record<string, string | undefined> };
  const { status, kind, amount = '', currency = '', direction = '' } = data;
  return kind === undefined ? (status ?? '') : `${direction} ${kind} ${amount} ${currency}`;
}

function delivery({ state, attempts, dueAt }: LoggedCallback): Html {
  const last = attempts.at(-1);
  const answered = last
    ? last.status === null
      ? 'no answer'
      : `answered ${last.status} in ${last.ms} ms`
    : 'not sent';
  const times = attempts.length > 1 ? `, ${attempts.length} attempts` : '';
  return html`${answered}${times}${state === 'waiting' ? html`, next at ${timeOfDay(dueAt)}` : ''}`;
}

export function callbacksSection(callbacks: LoggedCallback[], url: string | null): Html {
  return html`<section><h2>Callbacks</h2>
${url === null ? html`<p>It has no callback address, so none are sent.</p>` : html`<p>Sent to <code>${url}</code>. Open one to send it again, later or never.</p>`}
${callbacks.length === 0 ? html`<p>None yet.</p>` : html`<ol class="feed">${callbacks.slice(0, 10).map(callbackItem)}</ol>`}
</section>`;
}

const MOVEMENT_COLUMNS = [
  { name: 'Movement' },
  { name: 'Reference' },
  { name: 'Time (UTC)' },
  { name: 'Amount', isNumber: true as const },
];

export const signedAmount = ({ direction, amount, currency }: MovementRow): string =>
  `${direction === 'DEBIT' ? '−' : '+'}${writeAmount(amount, currency)} ${currency}`;

export function movementsSection(context: SandboxContext, account: string): Html {
  const rows = movementsOf(context, account).map((row) => [
    link('movements', row.uuid, row.kind),
    row.source_reference ?? '',
    columnTime(row.created_at),
    signedAmount(row),
  ]);
  return html`<section><h2>Movements</h2>${
    rows.length === 0
      ? html`<p>None yet. Pay in with the form above.</p>`
      : table('Movements', MOVEMENT_COLUMNS, rows)
  }</section>`;
}

const PAYMENT_COLUMNS = [
  { name: 'Payment' },
  { name: 'Status' },
  { name: 'Amount', isNumber: true as const },
];

export function paymentsSection(context: SandboxContext, account: string): Html {
  const currency = currencyOf(context, account);
  const conversions = paymentsOf(context, 'transfers', account).map((row) => [
    link('transfers', row.uuid, 'conversion'),
    badge(row.status),
    `${writeAmount(row.source_amount, currency)} ${currency}`,
  ]);
  const payouts = paymentsOf(context, 'payouts', account).map((row) => [
    link('payouts', row.uuid, `payout by ${row.rail}`),
    badge(row.status),
    `${writeAmount(row.amount, row.currency)} ${row.currency}`,
  ]);
  const rows = [...conversions, ...payouts];
  return rows.length === 0
    ? html``
    : html`<section><h2>Payments from it</h2>${table('Payments', PAYMENT_COLUMNS, rows)}</section>`;
}

export function injectedFaults({ faultInjection }: SandboxContext, uuid: string): Html {
  const rows = faultInjection.injected(uuid);
  if (rows.length === 0) return html``;
  return html`<section><h2>Injected faults</h2>
<p><a href="/fault-injection">Fault injection</a> did this to it: its client may have received other answers than you see here.</p>
${table(
  'Injected faults',
  [{ name: 'Time' }, { name: 'Fault' }, { name: 'Details' }],
  rows.map(({ at, kind, details }) => [
    isoTime(at),
    html`<code>${kind}</code>`,
    html`<code>${details}</code>`,
  ]),
)}</section>`;
}
