// A refusal: the API's sentence, what to do next, and the number that support asks for. Screen readers read it out when it appears.
import { PonteError } from '@ponte/client';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { forgetMe } from '../state/me.ts';
import { signOut } from '../state/session.ts';
import { t } from '../texts/t.ts';
import { Button } from './button.ts';
import { Icon } from './icons.ts';
import { nextStepAfter, sentenceOf } from './next-step.ts';

type Props = {
  /** The error that was thrown. Null shows nothing. */
  error: unknown;
  /** Sends the same request once more. */
  onAgain?: (() => void) | undefined;
};

export const Refusal = ({ error, onAgain }: Props): VNode => html`
  <div role="alert">${error === null ? null : html`<${Card} error=${error} onAgain=${onAgain} />`}</div>`;

function Card({ error, onAgain }: Props): VNode {
  const { text, link, again } = nextStepAfter(error);
  const refused = error instanceof PonteError ? error : null;
  return html`
    <div class="note bad">
      <${Icon} name="alert" />
      <div>
        <p class="strong">${sentenceOf(error)}</p>
        <p>${text}</p>
        ${link && html`<a class="button second" href=${link.to}>${link.label}</a>`}
        ${again && onAgain && html`<${Button} kind="second" onPress=${onAgain}>${t('Try again')}<//>`}
        ${refused?.is('account_closed') && html`<${Button} kind="second" onPress=${leave}>${t('Sign out')}<//>`}
        ${refused?.requestId && html`<p class="small">${t('Support number')} <code>${refused.requestId}</code></p>`}
      </div>
    </div>`;
}

function leave(): void {
  signOut();
  forgetMe();
}
