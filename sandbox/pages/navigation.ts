// The navigation of the tester's pages.
import { type Html, html } from './html.ts';

const PLACES = {
  start: ['/', 'Start'],
  overview: ['/console', 'Console'],
  users: ['/console/owners', 'Users'],
  accounts: ['/console/accounts', 'Accounts'],
  conversions: ['/console/transfers', 'Conversions'],
  payouts: ['/console/payouts', 'Payouts'],
  callbacks: ['/console/callbacks', 'Callbacks'],
  ledger: ['/console/ledger', 'Ledger'],
  faults: ['/fault-injection', 'Faults'],
} as const;

export type Place = keyof typeof PLACES;

export const navigation = (here: Place): Html => html`<a class="skip" href="#main">To the content</a>
<header class="site"><nav aria-label="Sandbox">
${Object.entries(PLACES).map(
  ([place, [address, name]]) =>
    html`<a href="${address}"${place === 'start' ? html` class="brand"` : ''}${
      place === here ? html` aria-current="page"` : ''
    }>${place === 'start' ? 'Ponte sandbox' : name}</a>`,
)}
</nav></header>`;
