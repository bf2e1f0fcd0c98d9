// Reports a completed payment as a fraud, so that the recipient's bank examines it.
import type { Contestation, ContestationRequest } from '@ponte/client';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { momentOf } from '../dates.ts';
import { Button } from '../parts/button.ts';
import { Facts } from '../parts/facts.ts';
import { Field } from '../parts/field.ts';
import { Form } from '../parts/form.ts';
import { Note } from '../parts/note.ts';
import { Refusal } from '../parts/refusal.ts';
import { Screen } from '../parts/screen.ts';
import { ponte } from '../state/session.ts';
import { useCall } from '../state/use-call.ts';
import { t } from '../texts/t.ts';

const REASONS: Record<ContestationRequest['reason'], string> = {
  scam: t('I was deceived into paying'),
  unauthorised: t('Somebody else made the payment'),
  coercion: t('I was forced to pay'),
};

/** Repeating the report sends the same words, so it needs no key. */
export function Contest({ id }: { id: string }): VNode {
  const [reason, setReason] = useState<ContestationRequest['reason']>('scam');
  const [description, setDescription] = useState('');
  const [made, setMade] = useState<Contestation | null>(null);
  const call = useCall(async () =>
    setMade(await ponte.contest(id, { reason, description: description.trim() })),
  );
  const [fault, setFault] = useState<string | null>(null);
  const send = (): boolean => {
    const isEmpty = description.trim() === '';
    setFault(isEmpty ? t('Say what happened.') : null);
    if (!isEmpty) call.run();
    return !isEmpty;
  };
  return html`
    <${Screen} title=${t('Report a problem')} back=${`#/payments/${id}`}>
      <div role="status">${made && html`<${Made} contestation=${made} />`}</div>
      ${
        made === null &&
        html`
      <p class="soft">${t('For fraud only. The recipient’s bank decides, and it can take weeks.')}</p>
      <${Form} onSend=${send}>
        <fieldset class="choices slim">
          <legend>${t('What happened?')}</legend>
          ${Object.entries(REASONS).map(
            ([one, label]) => html`
          <label key=${one} class="choice">
            <input type="radio" name="reason" checked=${one === reason}
              onChange=${() => setReason(one as ContestationRequest['reason'])} />
            <span>${label}</span>
          </label>`,
          )}
        </fieldset>
        <${Field} label=${t('Tell us more')} name="description" rows=${3} value=${description}
          onValue=${setDescription} fault=${fault} />
        <${Refusal} error=${call.error} />
        <${Button} isBusy=${call.isBusy}>${t('Report this payment')}<//>
      <//>`
      }
    <//>`;
}

const Made = ({ contestation }: { contestation: Contestation }): VNode => html`
  <${Note} kind="good" title=${t('Your report is on its way')}>
    <p>${t('Look at the payment to see what became of it.')}</p>
  <//>
  <${Facts} facts=${[{ name: t('Reported'), value: momentOf(contestation.createdAt) }]} />`;
