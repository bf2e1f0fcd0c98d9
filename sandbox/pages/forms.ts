// The forms that change something: a decision about a resource, a delay, a deposit.
import { type Html, html } from './html.ts';

export interface Choice {
  action: string;
  label: string;
  /** The consequence of the choice. */
  meaning: string;
  kind?: 'danger' | 'second';
}

interface Decidable {
  /** The address of the resource's controls: `/sandbox/payouts/<uuid>`. */
  address: string;
  /** The base of the addresses in the HTTP calls. */
  baseUrl: string;
  choices: Choice[];
  /** Whether there is a planned step, which can be delayed. */
  isPlanned: boolean;
  hasCallback?: boolean;
  /** More fields of the decision. */
  fields?: Html;
}

/** @param otherwise the text for a resource about which nothing can be decided. */
export function decide(
  { address, baseUrl, choices, isPlanned, hasCallback, fields }: Decidable,
  otherwise: string,
): Html {
  return html`<section id="decide"><h2>Decide</h2>
${
  choices.length === 0
    ? html`<p>${otherwise}</p>`
    : html`<form method="post">
${hasCallback === false ? '' : callbackChoice}${fields ?? ''}
<div class="choices">${choices.map(
        ({ action, label, meaning, kind }) =>
          html`<button formaction="${address}/${action}"${kind ? html` class="${kind}"` : ''}
aria-describedby="means-${action}">${label}</button><span id="means-${action}">${meaning}</span>`,
      )}</div></form>`
}
${isPlanned ? delayForm(`${address}/delay`) : ''}
${choices.length === 0 && !isPlanned ? '' : calls(baseUrl + address, [...choices.map(({ action }) => action), ...(isPlanned ? ['delay'] : [])])}
</section>`;
}

const callbackChoice = html`<label>Its callback <select name="callback">
<option value="">is sent immediately</option><option value="late">is sent ten seconds late</option><option value="lost">is lost</option>
</select></label>`;

export const delayForm = (
  address: string,
): Html => html`<form method="post" action="${address}" class="delay">
<label>Later by <select name="forMs"><option value="10000">ten seconds</option><option value="60000">a minute</option>
<option value="600000">ten minutes</option><option value="3600000">an hour</option></select></label>
<div><button class="second">Delay it</button></div></form>`;

const calls = (
  address: string,
  actions: string[],
): Html => html`<details><summary>The same over HTTP</summary>
<pre tabindex="0">${actions.map((action) => `curl -X POST ${address}/${action}`).join('\n')}</pre></details>`;

const rest = html`<label>Amount <input name="amount" required inputmode="decimal" placeholder="120.00" autocomplete="off"></label>
  <label>Reference <input name="reference" maxlength="140" autocomplete="off"></label>`;

export const depositForm = (): Html => html`<form method="post" action="/sandbox/deposits">
  <label>Sort code <input name="sortCode" placeholder="04-00-75" autocomplete="off"></label>
  <label>Account number <input name="accountNumber" inputmode="numeric" placeholder="10000001" autocomplete="off"></label>
  <label>or IBAN <input name="iban" placeholder="DE.." autocomplete="off"></label>
  ${rest}
  <div><button>Deposit</button></div>
</form>`;

export const depositTo = (uuid: string): Html => html`<form method="post" action="/sandbox/deposits">
  <input type="hidden" name="accountUuid" value="${uuid}">
  ${rest}
  <label>Its callback <select name="callback"><option value="">is sent immediately</option>
  <option value="late">is sent ten seconds late</option><option value="lost">is lost</option></select></label>
  <div><button>Deposit</button></div>
</form>`;
