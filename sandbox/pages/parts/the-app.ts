// The app that a tester uses: the phone if the sandbox serves it, or any other.
import type { World } from '../../world.ts';
import { type Html, html } from '../html.ts';

export const theApp = ({ options }: World): Html =>
  '/phone' in options.pages ? html`<a href="/phone/">the phone</a>` : html`the app`;
