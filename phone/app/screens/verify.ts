// The identity check: it begins here, happens in the provider's hosted page, and is followed here until the account is open.
import type { KycState } from '@ponte/client';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { Button } from '../parts/button.ts';
import { InTheSandbox, Loading, Note } from '../parts/note.ts';
import { Refusal } from '../parts/refusal.ts';
import { Screen } from '../parts/screen.ts';
import { withReturn } from '../sandbox.ts';
import { keptStore } from '../state/kept.ts';
import { refreshMe } from '../state/me.ts';
import { ponte } from '../state/session.ts';
import { useCall } from '../state/use-call.ts';
import { useInterval } from '../state/use-interval.ts';
import { useLoaded } from '../state/use-loaded.ts';

const POLL_MS = 2_000;

/** Whether the hosted page was opened. Until there is an outcome, the check may be in progress. */
const wasOpened = keptStore<boolean>('verification');

export function Verify(): VNode {
  const { value: state, error, reload } = useLoaded<KycState>(() => ponte.verification());
  const isOver = state?.status === 'failed' || state?.hasActiveAccount === true;
  useInterval(() => isOver || reload(), POLL_MS);
  const call = useCall(async () => {
    const { verificationUrl } = await ponte.startVerification();
    if (verificationUrl === null) return reload();
    wasOpened.set(true);
    location.assign(withReturn(verificationUrl));
  });
  return html`
    <${Screen} title="Your identity" back="#/">
      <div role="status">${state && html`<${Standing} state=${state} />`}</div>
      ${state === null && error === null && html`<${Loading} what="Reading how far it is…" />`}
      <${Refusal} error=${call.error ?? error} onAgain=${call.error === null ? reload : call.run} />
      ${
        state?.status === 'pending' &&
        html`
      <${Button} kind=${wasOpened.get() ? 'second' : 'main'} isBusy=${call.isBusy} onPress=${call.run}>
        ${wasOpened.get() ? 'Open the check again' : 'Verify my identity'}
      <//>
      <${InTheSandbox}><p class="soft">The check takes your word for it. A name with the word Fail is refused, one with
        Slow takes ten minutes.</p><//>`
      }
      ${
        state?.hasActiveAccount &&
        html`
      <a class="button main" href="#/add-money" onClick=${() => void refreshMe()}>Add money</a>`
      }
    <//>`;
}

function Standing({ state: { status, hasActiveAccount } }: { state: KycState }): VNode {
  if (status === 'failed')
    return html`
      <${Note} kind="bad" title="We could not verify you">
        <p>If this is a mistake, the check may still be approved. Support can tell you more.</p>
      <//>`;
  if (hasActiveAccount)
    return html`<${Note} kind="good" title="Your account is open"><p>You can send money to it now.</p><//>`;
  if (status === 'completed')
    return html`<${Note} kind="wait" title="Opening your account"><p>You are verified. This takes a moment.</p><//>`;
  if (wasOpened.get())
    return html`<${Note} kind="wait" title="Checking"><p>If you have filled in everything, there is nothing more to do.</p><//>`;
  return html`
    <${Note} kind="plain" title="We have to know who you are">
      <p>Our banking partner asks for your details on a page of its own. It takes about two minutes.</p>
    <//>`;
}
