// Sends a confirmed payment, even after a reload, and opens the payment's screen.
import { PonteError } from '@ponte/client';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { Sending } from '../parts/sending.ts';
import type { Again } from '../parts/unanswered.ts';
import { confirmed, draft, settle } from '../state/intents.ts';
import { refreshMe } from '../state/me.ts';
import { replaceWith } from '../state/route.ts';
import { notice, ponte } from '../state/session.ts';
import { t } from '../texts/t.ts';
import { Sent } from './sent.ts';

export function PaySending(): VNode {
  const [request] = useState(confirmed.get());
  if (request === null) return html`<${Sent} />`;
  const send = async (): Promise<void> => {
    const { pixPaymentId } = await ponte.pay(request);
    const path = `/payments/${pixPaymentId}`;
    settle(confirmed, path);
    draft.set(null);
    void refreshMe();
    replaceWith(path);
  };
  return html`
    <${Sending} title=${t('Paying')} what=${t('your payment')} send=${send} onRefused=${takeBack} onGiveUp=${giveUp}
      again=${AGAIN} change="#/pay" />`;
}

const CHECK_AGAIN = t('Please check the recipient once more before you pay.');
const TAKEN_BACK: Partial<Record<string, string>> = {
  quote_expired: t('The price ended before the payment could be made. Here is a new one.'),
  lookup_expired: CHECK_AGAIN,
  lookup_of_another_key: CHECK_AGAIN,
};

/** Forgets the confirmation and keeps the draft: if only the price or the look-up had expired, the draft gets a new one. */
function takeBack(error: unknown): void {
  confirmed.set(null);
  if (!(error instanceof PonteError)) return;
  const { [error.code]: sentence } = TAKEN_BACK;
  if (sentence === undefined) return;
  const to = draft.get();
  // The key is looked up again.
  if (to !== null && !error.is('quote_expired')) draft.set({ ...to, lookup: null });
  notice.set(sentence);
  replaceWith('/pay/confirm');
}

const AGAIN: Again = {
  label: t('Pay again'),
  text: t('If your payment reached us, this is a second one.'),
  onPress: payAgain,
};

/** Gets a new price for the draft, which makes a separate payment. */
function payAgain(): void {
  confirmed.set(null);
  replaceWith('/pay/confirm');
}

function giveUp(): void {
  confirmed.set(null);
  replaceWith('/history');
}
