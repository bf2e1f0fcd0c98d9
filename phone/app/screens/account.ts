// The person's profile, and what they can do about their data and their account.
import { isPlainText } from '@ponte/client';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { dateOf } from '../dates.ts';
import { Button } from '../parts/button.ts';
import { Facts } from '../parts/facts.ts';
import { Field } from '../parts/field.ts';
import { Form } from '../parts/form.ts';
import { Icon, type IconName } from '../parts/icons.ts';
import { Languages } from '../parts/languages.ts';
import { Refusal } from '../parts/refusal.ts';
import { Screen } from '../parts/screen.ts';
import { meStore, refreshMe } from '../state/me.ts';
import { replaceWith } from '../state/route.ts';
import { ponte, signOut } from '../state/session.ts';
import { useCall } from '../state/use-call.ts';
import { t } from '../texts/t.ts';

const LINKS: { to: string; label: string; icon: IconName }[] = [
  { to: '#/verify', label: t('Your identity'), icon: 'shield' },
  { to: '#/bank-details', label: t('Bank details'), icon: 'withdraw' },
  { to: '#/account/data', label: t('Your data'), icon: 'person' },
  { to: '#/account/close', label: t('Close your account'), icon: 'cross' },
];

export function AccountScreen(): VNode {
  const user = meStore.use().me?.user;
  const [name, setName] = useState(user?.displayName ?? '');
  const [isSaved, setSaved] = useState(false);
  const call = useCall(async () => {
    await ponte.updateMe({ displayName: name.trim() });
    await refreshMe();
    setSaved(true);
  });
  const isWrong = !isPlainText(name.trim());
  const [fault, setFault] = useState<string | null>(null);
  const send = (): boolean => {
    setSaved(false);
    setFault(isWrong ? t('Please type this name: it has hidden characters.') : null);
    if (!isWrong) call.run();
    return !isWrong;
  };
  return html`
    <${Screen} title=${t('Account')}>
      <${Form} onSend=${send}>
        <${Field} label=${t('What we call you')} name="displayName" value=${name} onValue=${setName} fault=${fault}
          input=${{ autocomplete: 'nickname', maxlength: 100 }} />
        <${Refusal} error=${call.error} onAgain=${call.run} />
        <${Button} kind="second" isBusy=${call.isBusy}>${t('Save the name')}<//>
        <p role="status" class="tone good">${isSaved ? t('Saved.') : ''}</p>
      <//>
      <${Facts} facts=${[
        { name: t('E-mail'), value: user?.email ?? t('None') },
        { name: t('Home currency'), value: user?.homeCurrency },
        { name: t('Member since'), value: user && dateOf(user.createdAt) },
      ]} />
      <ul class="links">
        ${LINKS.map(
          ({ to, label, icon }) => html`
        <li key=${to}><a href=${to}><${Icon} name=${icon} /><span>${label}</span><${Icon} name="next" /></a></li>`,
        )}
      </ul>
      <${Languages} />
      <${Button} kind="second" onPress=${leave}>${t('Sign out')}<//>
    <//>`;
}

function leave(): void {
  replaceWith('/');
  signOut();
}
