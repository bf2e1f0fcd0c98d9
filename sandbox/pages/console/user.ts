// The page of a user: the verification with its buttons, and the accounts.

import { accountsOf } from '../../console/lists.ts';
import type { SandboxContext } from '../../context.ts';
import { balance, customer } from '../../ledger.ts';
import { VERIFICATION_FAILURES } from '../../magic.ts';
import { writeAmount } from '../../money.ts';
import { lookupsOf } from '../../provider/pix-key-lookups.ts';
import { existing } from '../../provider/resources.ts';
import { plannedSteps } from '../../schedule.ts';
import type { OwnerRow } from '../../store/rows.ts';
import { type Choice, decide } from '../forms.ts';
import { type Html, html } from '../html.ts';
import { badge, columnTime, facts, fullTime, onThePhone, resourcePage, shortLink, table } from '../parts.ts';
import { injectedFaults, planned } from '../sections.ts';

const COMPLETE: Choice = {
  action: 'complete',
  label: 'Complete',
  meaning: 'The user is verified, and may have accounts.',
};
const FAIL: Choice = {
  action: 'fail',
  label: 'Fail',
  meaning: 'The verification is refused.',
  kind: 'danger',
};
const CHOICES: Record<OwnerRow['status'], Choice[]> = {
  PENDING: [COMPLETE, FAIL],
  FAILED: [COMPLETE],
  COMPLETED: [],
};

export function userPage(context: SandboxContext, uuid: string, done?: string): string {
  const row = existing(context, 'owners', uuid);
  const address = `/sandbox/owners/${uuid}`;
  const isPlanned = plannedSteps(context, uuid).length > 0;
  return resourcePage(
    { title: `User ${row.full_name ?? ''}`, place: 'users', address: `/console/owners/${uuid}`, done },
    html`<a href="/console/owners">Users</a>`,
    html`<h1>${row.full_name ?? 'A user without a name yet'} ${badge(row.status)}</h1>
<p>The user's verification, as the provider has it. The app learns of it when it asks: verifications have no callback.</p>
${decide(
  {
    address,
    baseUrl: context.baseUrl,
    choices: CHOICES[row.status],
    isPlanned,
    hasCallback: false,
    ...(row.status === 'PENDING' && { fields: failureChoice }),
  },
  'A completed verification is final.',
)}
<section>${facts([
      ['Uuid', html`<code>${uuid}</code>`],
      ['Handle', html`<code>${row.external_id}</code>`],
      ['E-mail', row.email],
      ['Level', row.level],
      ['Attempt', String(row.attempt)],
      ['Failure code', row.failure_code],
      ['Verification page', verificationLink(context, row)],
      ['On the phone', onThePhone(context, numberOf(context, row), 'the bank details')],
      ['Planned', planned(context, uuid)],
      ['Completed', row.completed_at && fullTime(row.completed_at)],
      ['Changed', fullTime(row.updated_at)],
    ])}</section>
${accounts(context, row)}${lookups(context, row)}${injectedFaults(context, uuid)}`,
  );
}

const failureChoice = html`<label>Why it fails, if it does <select name="failure_code">${VERIFICATION_FAILURES.toReversed().map(
  (code) => html`<option value="${code}">${code}</option>`,
)}</select></label>`;

function verificationLink(
  { baseUrl }: SandboxContext,
  { verification_token, full_name }: OwnerRow,
): Html | null {
  if (verification_token === null || full_name !== null) return null;
  return html`<a href="${baseUrl}/verify/${verification_token}">open it as the user</a>`;
}

/** The number of the account that the app shows. Null until it is open. */
const numberOf = (context: SandboxContext, { uuid }: OwnerRow): string | null =>
  accountsOf(context, uuid)
    .map(({ account_number, iban }) => account_number ?? iban)
    .find((number) => number !== null) ?? null;

function accounts(context: SandboxContext, { uuid, status }: OwnerRow): Html {
  const rows = accountsOf(context, uuid).map((row) => [
    shortLink('accounts', row.uuid),
    row.currency,
    badge(row.status),
    `${writeAmount(balance(context, customer(row.uuid)), row.currency)} ${row.currency}`,
  ]);
  const columns = [
    { name: 'Account' },
    { name: 'Currency' },
    { name: 'Status' },
    { name: 'Balance', isNumber: true as const },
  ];
  return html`<section><h2>Accounts</h2>${
    rows.length > 0
      ? table('Accounts', columns, rows)
      : html`<p>${status === 'COMPLETED' ? 'None yet: the app opens them once it knows that the verification is completed.' : 'None yet: complete the verification first.'}</p>`
  }</section>`;
}

/** The recipients whose keys the user looked up. */
function lookups(context: SandboxContext, { uuid }: OwnerRow): Html {
  const rows = lookupsOf(context, uuid).map((row) => [
    row.pix_key,
    row.recipient_name,
    row.recipient_tax_id,
    row.institution_name,
    columnTime(row.created_at),
  ]);
  const columns = [
    { name: 'Key' },
    { name: 'Name' },
    { name: 'Tax number' },
    { name: 'Institution' },
    { name: 'Time (UTC)' },
  ];
  return rows.length === 0
    ? html``
    : html`<section><h2>Recipients looked up</h2>${table('Recipients looked up', columns, rows)}</section>`;
}
