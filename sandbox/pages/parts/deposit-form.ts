// The form of a deposit, to bank details or to a known account.
import { type Html, html } from '../html.ts';

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
