// Chooses the recipient by a PIX code that the person scans or pastes. A static code is read offline. A dynamic one has only the address of
// a charge, and the service says what it asks for.
import { type BrCode, canonicalPixKey, InvalidBrCode, PonteError, readBrCode } from '@ponte/client';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../parts/button.ts';
import { Camera, canScan } from '../parts/camera.ts';
import { Field } from '../parts/field.ts';
import { Form } from '../parts/form.ts';
import { sentenceOf } from '../parts/next-step.ts';
import { InTheSandbox, Loading } from '../parts/note.ts';
import { EXAMPLE_CODE } from '../sandbox.ts';
import type { Draft } from '../state/intents.ts';
import { ponte } from '../state/session.ts';
import { useCall } from '../state/use-call.ts';
import { t, translated } from '../texts/t.ts';
import { proceed } from './pay-proceed.ts';

export function PayCode(): VNode {
  const [text, setText] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const [isScanning, setScanning] = useState(false);
  const charge = useCall(async (code: string) => setFault(await takeCharge(code)));
  const take = (code: string): boolean => {
    const [found, problem] = readOffline(code);
    setFault(problem);
    if (found?.pixKey === null) charge.run(code);
    else if (found !== null) setFault(takeKey(found));
    return problem === null;
  };
  const scanned = (code: string): void => {
    setScanning(false);
    setText(code);
    take(code);
  };
  const blind = (): void => {
    setScanning(false);
    setFault(t('The camera cannot be used. Paste the code instead.'));
  };
  return html`
    ${isScanning && html`<${Camera} onText=${scanned} onFault=${blind} />`}
    ${canScan() && !isScanning && html`<${Button} kind="second" onPress=${() => setScanning(true)}>${t('Scan with the camera')}<//>`}
    <${Form} onSend=${() => take(text)}>
      <${Field} label=${t('PIX code')} name="code" rows=${4} value=${text} onValue=${setText} fault=${fault}
        hint=${t('The text that “copy and paste” gives you, or that a QR code holds.')}
        input=${{ autocomplete: 'off', spellcheck: false }} />
      <${Button}>${t('Continue')}<//>
      ${charge.isBusy && html`<${Loading} what=${t('Reading the code…')} />`}
    <//>
    <${InTheSandbox}>
      <p class="soft">${t('Nobody to pay? The Banco Central has an example.')}</p>
      <${Button} kind="second" onPress=${() => setText(EXAMPLE_CODE)}>${t('Use the example code')}<//>
    <//>`;
}

/** Returns the code, or why it cannot be paid. */
function readOffline(text: string): [code: BrCode | null, problem: string | null] {
  if (text.trim() === '') return [null, t('Paste the code first.')];
  try {
    return [readBrCode(text), null];
  } catch (error) {
    if (!(error instanceof InvalidBrCode)) throw error;
    return [null, `${t('This cannot be paid.')} ${translated(error.message)}`];
  }
}

/**
 * Opens the next screen for the key of a static code.
 * @returns why it cannot be paid, or null.
 */
function takeKey({ pixKey, pixKeyType, amountBrl, recipientName }: BrCode): string | null {
  const canonical = pixKey === null || pixKeyType === null ? null : canonicalPixKey(pixKeyType, pixKey);
  if (canonical === null || pixKeyType === null)
    return t('The key in this code is not valid. Ask the recipient for another one.');
  proceed({
    pixKey: canonical,
    pixKeyType,
    recipientName: recipientName || null,
    amountBrl: amountBrl?.toFixed(2) ?? null,
    isAmountFixed: amountBrl !== null,
  });
  return null;
}

/**
 * Opens the next screen for the charge of a dynamic code.
 * @returns why it cannot be paid, or null.
 */
async function takeCharge(text: string): Promise<string | null> {
  try {
    const code = await ponte.readCode({ code: text });
    const { pixKey, recipientName, amountBrl, isAmountFixed } = code;
    const pixKeyType = code.pixKeyType as Draft['pixKeyType'];
    proceed({ pixKey, pixKeyType, recipientName, amountBrl, isAmountFixed, code });
    return null;
  } catch (error) {
    return error instanceof PonteError && error.is('not_offered')
      ? t('This code can only be paid with a Brazilian bank. Ask the recipient for a PIX key.')
      : sentenceOf(error);
  }
}
