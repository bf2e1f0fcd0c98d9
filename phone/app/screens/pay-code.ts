// Chooses the recipient by a PIX code that the person scans or pastes. The code is read offline.
import { canonicalPixKey, InvalidBrCode, readBrCode } from '@ponte/client';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../parts/button.ts';
import { Camera, canScan } from '../parts/camera.ts';
import { Field } from '../parts/field.ts';
import { Form } from '../parts/form.ts';
import { InTheSandbox } from '../parts/note.ts';
import { EXAMPLE_CODE } from '../sandbox.ts';
import { t, translated } from '../texts/t.ts';
import { proceed } from './pay-proceed.ts';

export function PayCode(): VNode {
  const [text, setText] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const [isScanning, setScanning] = useState(false);
  const take = (code: string): boolean => {
    const problem = code.trim() === '' ? t('Paste the code first.') : takeCode(code);
    setFault(problem);
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
    <//>
    <${InTheSandbox}>
      <p class="soft">${t('Nobody to pay? The Banco Central has an example.')}</p>
      <${Button} kind="second" onPress=${() => setText(EXAMPLE_CODE)}>${t('Use the example code')}<//>
    <//>`;
}

/**
 * Reads the code. If it can be paid, opens the next screen.
 * @returns why it cannot be paid, or null.
 */
function takeCode(text: string): string | null {
  try {
    const { pixKey, pixKeyType, amountBrl, recipientName } = readBrCode(text);
    if (pixKey === null || pixKeyType === null)
      return t('This code can only be paid with a Brazilian bank. Ask the recipient for a PIX key.');
    const canonical = canonicalPixKey(pixKeyType, pixKey);
    if (canonical === null) return t('The key in this code is not valid. Ask the recipient for another one.');
    proceed({
      pixKey: canonical,
      pixKeyType,
      recipientName: recipientName || null,
      amountBrl: amountBrl?.toFixed(2) ?? null,
      isAmountFixed: amountBrl !== null,
    });
    return null;
  } catch (error) {
    if (error instanceof InvalidBrCode) return `${t('This cannot be paid.')} ${translated(error.message)}`;
    throw error;
  }
}
