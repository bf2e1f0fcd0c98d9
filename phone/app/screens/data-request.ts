// The request of a right over one's own data.
import type { DataRequest, DataRequestInput } from '@ponte/client';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { momentOf } from '../dates.ts';
import { Button } from '../parts/button.ts';
import { Facts } from '../parts/facts.ts';
import { Field } from '../parts/field.ts';
import { Form } from '../parts/form.ts';
import { isDefinitive } from '../parts/next-step.ts';
import { Note } from '../parts/note.ts';
import { Refusal } from '../parts/refusal.ts';
import { Screen } from '../parts/screen.ts';
import { type Again, Unanswered } from '../parts/unanswered.ts';
import { dataRequest } from '../state/intents.ts';
import { ponte } from '../state/session.ts';
import { useCall } from '../state/use-call.ts';
import { t } from '../texts/t.ts';

const RIGHTS: Record<DataRequestInput['type'], string> = {
  access: t('A copy of my data'),
  portability: t('My data, to take elsewhere'),
  rectification: t('Something is wrong: correct it'),
  restriction: t('Stop using my data for now'),
  objection: t('I object to how it is used'),
};

const ANOTHER: Again = {
  label: t('Make another request'),
  text: t('If your request reached us, this is a second one.'),
  onPress: () => dataRequest.set(null),
};

export function DataRequestScreen(): VNode {
  const [type, setType] = useState<DataRequestInput['type']>('access');
  const [notes, setNotes] = useState('');
  const [made, setMade] = useState<DataRequest | null>(null);
  const kept = dataRequest.use();
  const call = useCall(async () => {
    const written = { type, ...(notes.trim() !== '' && { notes: notes.trim() }) };
    const sent = dataRequest.get() ?? { request: written, idempotencyKey: crypto.randomUUID() };
    dataRequest.set(sent);
    try {
      setMade(await ponte.requestData(sent.request, { idempotencyKey: sent.idempotencyKey }));
    } catch (error) {
      if (isDefinitive(error)) dataRequest.set(null);
      throw error;
    }
    dataRequest.set(null);
  });
  const send = (): boolean => {
    call.run();
    return true;
  };
  const isOpen = kept !== null && made === null && !call.isBusy;
  return html`
    <${Screen} title=${t('Your data')} back="#/account">
      <div role="status">${made && html`<${Made} request=${made} />`}</div>
      ${
        isOpen &&
        html`
      <${Unanswered} error=${call.error} what=${t('your request')} onCheck=${call.run}
        again=${ANOTHER} />`
      }
      ${
        made === null &&
        !isOpen &&
        html`
      <${Form} onSend=${send}>
        <fieldset class="choices slim">
          <legend>${t('What do you ask for?')}</legend>
          ${Object.entries(RIGHTS).map(
            ([right, label]) => html`
          <label key=${right} class="choice">
            <input type="radio" name="right" checked=${right === type}
              onChange=${() => setType(right as DataRequestInput['type'])} />
            <span>${label}</span>
          </label>`,
          )}
        </fieldset>
        <${Field} label=${t('Anything to add?')} name="notes" rows=${3} value=${notes}
          onValue=${setNotes} />
        <${Refusal} error=${call.error} />
        <${Button} isBusy=${call.isBusy}>${t('Send the request')}<//>
      <//>`
      }
      ${made && html`<a class="button second" href="#/account">${t('Back to your account')}</a>`}
    <//>`;
}

const Made = ({ request: { id, receivedAt } }: { request: DataRequest }): VNode => html`
  <${Note} kind="good" title=${t('We have your request')}><p>${t('You get an answer within 30 days.')}</p><//>
  <${Facts} facts=${[
    { name: t('Received'), value: momentOf(receivedAt) },
    { name: t('Number'), value: id, isCode: true, isCopied: true },
  ]} />`;
