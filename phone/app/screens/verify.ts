// The identity check: it begins here, happens in the provider's hosted page, and is followed here until the account is open.
import type { KycStart, KycState } from '@ponte/client';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { Button } from '../parts/button.ts';
import { InTheSandbox, Loading, Note } from '../parts/note.ts';
import { Refusal } from '../parts/refusal.ts';
import { Screen } from '../parts/screen.ts';
import { failureOf } from '../parts/verification-failure.ts';
import { withReturn } from '../sandbox.ts';
import { keptStore } from '../state/kept.ts';
import { refreshMe } from '../state/me.ts';
import { ponte } from '../state/session.ts';
import { useCall } from '../state/use-call.ts';
import { useInterval } from '../state/use-interval.ts';
import { useLoaded } from '../state/use-loaded.ts';
import { t } from '../texts/t.ts';

const POLL_MS = 2_000;

/** Whether the hosted page was opened. Until there is an outcome, the check may be in progress. */
const wasOpened = keptStore<boolean>('verification');

export function Verify(): VNode {
  const { value: state, error, reload } = useLoaded<KycState>(() => ponte.verification());
  const isOver = state?.status === 'failed' || state?.hasActiveAccount === true;
  useInterval(() => isOver || reload(), POLL_MS);
  const openPage = async (starting: Promise<KycStart>) => {
    const { verificationUrl } = await starting;
    if (verificationUrl === null) return reload();
    wasOpened.set(true);
    location.assign(withReturn(verificationUrl));
  };
  const call = useCall(() => openPage(ponte.startVerification()));
  const again = useCall(() => openPage(ponte.restartVerification()));
  const refused = [call, again].find((one) => one.error !== null);
  return html`
    <${Screen} title=${t('Your identity')} back="#/">
      <div role="status">${state && html`<${Standing} state=${state} />`}</div>
      ${state === null && error === null && html`<${Loading} what=${t('Reading how far it is…')} />`}
      <${Refusal} error=${refused?.error ?? error} onAgain=${refused?.run ?? reload} />
      ${
        state?.status === 'pending' &&
        html`
      <${Button} kind=${wasOpened.get() ? 'second' : 'main'} isBusy=${call.isBusy} onPress=${call.run}>
        ${wasOpened.get() ? t('Open the check again') : t('Verify my identity')}
      <//>
      <${InTheSandbox}><p class="soft">${t('The check takes your word for it. A name with the word Fail is refused, one with Unreadable is refused at first, one with Slow takes ten minutes.')}</p><//>`
      }
      ${
        state?.status === 'failed' &&
        failureOf(state).mayTryAgain &&
        html`<${Button} isBusy=${again.isBusy} onPress=${again.run}>${t('Try again')}<//>`
      }
      ${
        state?.hasActiveAccount &&
        html`
      <a class="button main" href="#/add-money" onClick=${() => void refreshMe()}>${t('Add money')}</a>`
      }
    <//>`;
}

function Standing({ state }: { state: KycState }): VNode {
  const { status, hasActiveAccount } = state;
  if (status === 'failed')
    return html`<${Note} kind="bad" title=${t('We could not verify you')}><p>${failureOf(state).text}</p><//>`;
  if (hasActiveAccount)
    return html`<${Note} kind="good" title=${t('Your account is open')}><p>${t('You can send money to it now.')}</p><//>`;
  if (status === 'completed')
    return html`<${Note} kind="wait" title=${t('Opening your account')}><p>${t('You are verified. This takes a moment.')}</p><//>`;
  if (wasOpened.get())
    return html`<${Note} kind="wait" title=${t('Checking')}><p>${t('If you have filled in everything, there is nothing more to do.')}</p><//>`;
  return html`
    <${Note} kind="plain" title=${t('We have to know who you are')}>
      <p>${t('Our banking partner asks for your details on a page of its own. It takes about two minutes.')}</p>
    <//>`;
}
