// Links to the pages of resources.
import type { CallbackResource } from '../../callback-log.ts';
import { type Html, html } from '../html.ts';

export type LinkedResource = CallbackResource | 'owners' | 'movements';

export const SINGULAR: Record<LinkedResource, string> = {
  owners: 'user',
  accounts: 'account',
  transfers: 'conversion',
  payouts: 'payout',
  movements: 'movement',
};

/** A link with the end of the uuid, because the uuids of neighbouring rows begin with almost the same time. */
export const shortLink = (resource: LinkedResource, uuid: string): Html =>
  html`<a href="/console/${resource}/${uuid}"><code>…${uuid.slice(-8)}</code></a>`;

export const link = (resource: LinkedResource, uuid: string, text: string | Html): Html =>
  html`<a href="/console/${resource}/${uuid}">${text}</a>`;

/** A link to the ledger's transactions of a reference, or of an account. */
export const ledgerLink = (by: 'reference' | 'account', value: string, text: string): Html =>
  html`<a href="/console/ledger?${by}=${encodeURIComponent(value)}">${text}</a>`;
