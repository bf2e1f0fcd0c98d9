// A button that shares a text with another app, or copies it where the browser cannot share.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { useCall } from '../state/use-call.ts';
import { t } from '../texts/t.ts';
import { Button } from './button.ts';

/** Firefox and Chromium on a desk cannot share. The types say that every browser can. */
const canShare = (): boolean => typeof (navigator as { share?: unknown }).share === 'function';

export function Share({ title, text }: { title: string; text: string }): VNode {
  const [outcome, setOutcome] = useState('');
  const call = useCall(async () => {
    setOutcome('');
    if (canShare()) await navigator.share({ title, text }).catch(unlessDismissed);
    else {
      await navigator.clipboard.writeText(text);
      setOutcome(t('Copied. Paste it where you want to send it.'));
    }
  });
  return html`
    <${Button} isBusy=${call.isBusy} onPress=${() => call.run()}>${canShare() ? t('Share') : t('Copy as text')}<//>
    <p role="status">${call.error === null ? outcome : t('This browser did not allow it.')}</p>`;
}

/** A person who closes the list of apps has changed their mind, which is no fault. */
function unlessDismissed(error: unknown): void {
  if (!(error instanceof DOMException && error.name === 'AbortError')) throw error;
}
