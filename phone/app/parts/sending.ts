// Sends what the person has decided, even after a reload. If no answer arrives, the same request finds out what happened.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { useCall } from '../state/use-call.ts';
import { t } from '../texts/t.ts';
import { Button } from './button.ts';
import { isDefinitive } from './next-step.ts';
import { Loading } from './note.ts';
import { Refusal } from './refusal.ts';
import { Screen } from './screen.ts';
import { type Again, Unanswered } from './unanswered.ts';

type Props = {
  title: string;
  /** The thing that is sent, such as `your withdrawal`. */
  what: string;
  /** @throws the API's refusal, or the error that the API was not reached. */
  send: () => Promise<void>;
  /** Called after a refusal that a repetition would not change. */
  onRefused: (error: unknown) => void;
  /** Begins another one, under a new key. */
  again: Again;
  onGiveUp: () => void;
  /** The address where the person can change the decision. */
  change: string;
};

export function Sending({ title, what, send, onRefused, again, onGiveUp, change }: Props): VNode {
  const call = useCall(async () => {
    try {
      await send();
    } catch (error) {
      if (isDefinitive(error)) onRefused(error);
      throw error;
    }
  });
  useEffect(() => call.run(), []);
  const isRefused = isDefinitive(call.error);
  const isOpen = call.error !== null && !isRefused;
  return html`
    <${Screen} title=${isRefused ? t('Not sent') : title}>
      ${call.isBusy && html`<${Loading} what=${t('Sending {what}…', { what })} />`}
      ${
        isOpen &&
        html`
      <${Unanswered} error=${call.error} what=${what} onCheck=${call.run} again=${again} />
      <${Button} kind="second" onPress=${onGiveUp}>${t('Give up')}<//>`
      }
      ${
        isRefused &&
        html`
      <${Refusal} error=${call.error} />
      <a class="button second" href=${change}>${t('Change it')}</a>
      <a class="button second" href="#/">${t('Back to your balance')}</a>`
      }
    <//>`;
}
