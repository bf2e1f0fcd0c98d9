// Signing in. On a real phone the operating system does this and provides an ID token. Here an identity provider of the sandbox
// does.
import type { SessionRequest } from '@ponte/client';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../parts/button.ts';
import { Field } from '../parts/field.ts';
import { Form } from '../parts/form.ts';
import { Icon } from '../parts/icons.ts';
import { Languages } from '../parts/languages.ts';
import { AppleMark, GoogleMark } from '../parts/marks.ts';
import { InTheSandbox, Note } from '../parts/note.ts';
import { Refusal } from '../parts/refusal.ts';
import { Screen } from '../parts/screen.ts';
import { mintIdToken } from '../sandbox.ts';
import { replaceWith } from '../state/route.ts';
import { notice, signIn } from '../state/session.ts';
import { useCall } from '../state/use-call.ts';
import { t } from '../texts/t.ts';

type Provider = SessionRequest['provider'];

export function SignIn(): VNode {
  const [name, setName] = useState('Ada Silva');
  const [email, setEmail] = useState('ada@example.com');
  const [fault, setFault] = useState<string | null>(null);
  const said = notice.use();
  const call = useCall(async (provider: Provider) => {
    const nonce = crypto.randomUUID();
    await signIn({ provider, nonce, idToken: await mintIdToken(provider, { name, email, nonce }) });
    // A person who had to sign in again returns to the same screen.
    if (said === null) replaceWith('/');
  });
  const enter = (provider: Provider): boolean => {
    const isGood = /^[^@\s]+@[^@\s]+$/.test(email.trim());
    setFault(isGood ? null : t('Please give an e-mail address.'));
    if (isGood) call.run(provider);
    return isGood;
  };
  return html`
    <${Screen} title="Ponte">
      <div class="welcome">
        <span class="mark"><${Icon} name="bridge" /></span>
        <p class="lead">${t('Pounds and euros here.')}<br />${t('Reais there, in seconds.')}</p>
        <p class="soft">${t('Hold a balance, pay anyone in Brazil by PIX, and take out what is left.')}</p>
      </div>
      ${said !== null && html`<div role="status"><${Note} kind="plain" title=${said} /></div>`}
      <${Refusal} error=${call.error} />
      <${Form} onSend=${() => enter('identity_provider_b')}>
        <${InTheSandbox}>
          <p class="soft">${t('Any name will do. The same address is the same person again.')}</p>
          <${Field} label=${t('Name')} name="name" value=${name} onValue=${setName} input=${{ autocomplete: 'off' }} />
          <${Field} label=${t('E-mail')} name="email" value=${email} onValue=${setEmail} fault=${fault}
            input=${{ type: 'email', autocomplete: 'off', autocapitalize: 'none' }} />
        <//>
        <div class="providers">
          <${Button} kind="apple" isBusy=${call.isBusy} onPress=${() => enter('identity_provider_a')}>
            <${AppleMark} />${t('Continue with Apple')}
          <//>
          <${Button} kind="google" isBusy=${call.isBusy}><${GoogleMark} />${t('Continue with Google')}<//>
        </div>
      <//>
      <${Languages} />
    <//>`;
}
