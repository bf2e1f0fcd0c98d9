// Shown for a step of a payment that this phone does not know: the payment was begun elsewhere, or is over.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { Note } from '../parts/note.ts';
import { Screen } from '../parts/screen.ts';

export const StartOver = (): VNode => html`
  <${Screen} title="Pay" back="#/">
    <${Note} kind="plain" title="There is no payment here"><p>It may be done already.</p><//>
    <a class="button main" href="#/pay">Begin a payment</a>
    <a class="button second" href="#/history">See your history</a>
  <//>`;
