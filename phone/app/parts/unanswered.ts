// Shown if no answer arrived, so that it is not known whether the request was executed. The person can find out, or send a second
// request: these are two different actions.
import { PonteError } from '@ponte/client';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { t } from '../texts/t.ts';
import { Button } from './button.ts';
import { Icon } from './icons.ts';
import { sentenceOf } from './next-step.ts';

export type Again = {
  label: string;
  /** Says what a second request means if the first one was executed. */
  text: string;
  onPress: () => void;
};

type Props = {
  /** The error that was thrown. Null if the page was reloaded before there was an answer. */
  error: unknown;
  /** The thing that was sent, such as `your withdrawal`. */
  what: string;
  /** Sends the identical request again, under the same key. */
  onCheck: () => void;
  /** Begins another one, under a new key. */
  again: Again;
};

export const Unanswered = ({ error, what, onCheck, again }: Props): VNode => html`
  <div role="alert">
    <div class="note wait">
      <${Icon} name="wait" />
      <div>
        <p class="strong">${error === null ? t('There was no answer yet.') : sentenceOf(error)}</p>
        <p>${t('We do not know whether {what} reached us. “Check” finds out: if it did not, it is made now. It is never made twice.', { what })}</p>
        ${error instanceof PonteError && html`<p class="small">${t('Support number')} <code>${error.requestId}</code></p>`}
      </div>
    </div>
  </div>
  <${Button} onPress=${onCheck}>${t('Check')}<//>
  <${Button} kind="second" onPress=${again.onPress}>${again.label}<//>
  <p class="soft">${again.text}</p>`;
