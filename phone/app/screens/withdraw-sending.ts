// Sends a confirmed withdrawal under its key, even after a reload, and opens the withdrawal's screen.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { Sending } from '../parts/sending.ts';
import type { Again } from '../parts/unanswered.ts';
import { lastWithdrawal, settle, withdrawal } from '../state/intents.ts';
import { refreshMe } from '../state/me.ts';
import { replaceWith } from '../state/route.ts';
import { ponte } from '../state/session.ts';
import { t } from '../texts/t.ts';
import { Sent } from './sent.ts';

export function WithdrawSending(): VNode {
  const [request] = useState(withdrawal.get());
  if (request === null) return html`<${Sent} />`;
  const send = async (): Promise<void> => {
    const { amount, ...keyed } = request;
    const { id } = await ponte.withdraw(amount, keyed);
    const path = `/transactions/${id}`;
    settle(withdrawal, path);
    void refreshMe();
    replaceWith(path);
  };
  return html`
    <${Sending} title=${t('Withdrawing')} what=${t('your withdrawal')} send=${send} onRefused=${forgetBoth} onGiveUp=${giveUp}
      again=${AGAIN} change="#/withdraw" />`;
}

const forget = (): void => withdrawal.set(null);

/** The next withdrawal is not asked about: nothing was withdrawn, or the person has just been asked. */
function forgetBoth(): void {
  forget();
  lastWithdrawal.set(null);
}

const AGAIN: Again = {
  label: t('Withdraw again'),
  text: t('If your withdrawal reached us, this is a second one.'),
  onPress: withdrawAgain,
};

/** Starts again: a new confirmation makes a new key. */
function withdrawAgain(): void {
  forgetBoth();
  replaceWith('/withdraw');
}

function giveUp(): void {
  forget();
  replaceWith('/history');
}
