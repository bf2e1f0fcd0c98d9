// No answer came, so nobody knows whether it was done. The person can find out, or do it a second time: these are two things.
import { PonteError } from '@ponte/client';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { Button } from './button.ts';
import { Icon } from './icons.ts';
import { sentenceOf } from './next-step.ts';

export type Again = {
  label: string;
  /** What it means where the first one was made after all. */
  text: string;
  onPress: () => void;
};

type Props = {
  /** What was thrown; null where the page was reloaded before there was an answer. */
  error: unknown;
  /** The thing that was sent, such as `your withdrawal`. */
  what: string;
  /** Sends the very same request again, under the same key. */
  onCheck: () => void;
  /** Begins another one, under a new key. */
  again: Again;
};

export const Unanswered = ({ error, what, onCheck, again }: Props): VNode => html`
  <div role="alert">
    <div class="note wait">
      <${Icon} name="wait" />
      <div>
        <p class="strong">${error === null ? 'There was no answer yet.' : sentenceOf(error)}</p>
        <p>We do not know whether ${what} reached us. “Check” finds out: if it did not, it is made now. It is never made
          twice.</p>
        ${error instanceof PonteError && html`<p class="small">Support number <code>${error.requestId}</code></p>`}
      </div>
    </div>
  </div>
  <${Button} onPress=${onCheck}>Check<//>
  <${Button} kind="second" onPress=${again.onPress}>${again.label}<//>
  <p class="soft">${again.text}</p>`;
