// A banner that says what was just done, above the page of what was changed.
import { type Html, html } from '../html.ts';

const DONE = new Map([
  ['deposited', 'The deposit has arrived. Its callback is below.'],
  ['complete', 'Completed.'],
  ['fail', 'Failed, as you decided.'],
  ['error', 'Ended with ERROR, as you decided.'],
  ['refund', 'Returned: the money is back on the account.'],
  ['activate', 'The account is active.'],
  ['delay', 'Delayed.'],
  ['resend', 'The callback is sent again.'],
  ['lose', 'The callback is lost: it is not sent any more.'],
]);

/** @param done comes from the address, so only the words listed here are shown. */
export function doneBanner(done: string | undefined): Html {
  const text = DONE.get(done ?? '');
  return text === undefined ? html`` : html`<p class="banner good" role="status">${text}</p>`;
}
