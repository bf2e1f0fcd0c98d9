// The app that a tester uses: the phone if the sandbox serves it, or any other.
import type { World } from '../../world.ts';
import { type Html, html } from '../html.ts';

export const theApp = ({ options }: World): Html =>
  '/phone' in options.pages ? html`<a href="/phone/">the phone</a>` : html`the app`;

/**
 * A link to the phone's screen for an id that the app shows. Null without such an id, or if the sandbox does not serve the phone.
 * @param id the end-to-end id of a payout, or the number of an account.
 */
export const onThePhone = ({ options }: World, id: string | null, text: string): Html | null =>
  id !== null && '/phone' in options.pages ? html`<a href="/phone/#/find/${id}">${text}</a>` : null;
