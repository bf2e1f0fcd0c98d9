// Shown for a step of a payment that this phone does not know: the payment was begun elsewhere, or is over.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { Note } from '../parts/note.ts';
import { Screen } from '../parts/screen.ts';
import { t } from '../texts/t.ts';

export const StartOver = (): VNode => html`
  <${Screen} title=${t('Pay')} back="#/">
    <${Note} kind="plain" title=${t('There is no payment here')}><p>${t('It may be done already.')}</p><//>
    <a class="button main" href="#/pay">${t('Begin a payment')}</a>
    <a class="button second" href="#/history">${t('See your history')}</a>
  <//>`;
