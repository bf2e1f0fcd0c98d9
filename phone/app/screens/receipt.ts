// The receipt of a completed payment, for its recipient. It shows nothing of what the payment cost.
import type { PixReceipt } from '@ponte/client';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { saoPauloMomentOf } from '../dates.ts';
import { formatBrl } from '../money.ts';
import { Button } from '../parts/button.ts';
import { type Fact, Facts } from '../parts/facts.ts';
import { Loading } from '../parts/note.ts';
import { nameOfKeyType } from '../parts/recipient.ts';
import { Refusal } from '../parts/refusal.ts';
import { Screen } from '../parts/screen.ts';
import { Share } from '../parts/share.ts';
import { ponte } from '../state/session.ts';
import { useLoaded } from '../state/use-loaded.ts';
import { t } from '../texts/t.ts';

export function ReceiptScreen({ id }: { id: string }): VNode {
  const { value, error, reload } = useLoaded<PixReceipt>((signal) => ponte.receipt(id, { signal }), id);
  return html`
    <${Screen} title=${t('Receipt')} back=${`#/payments/${id}`}>
      ${value === null && error === null && html`<${Loading} what=${t('Reading the receipt…')} />`}
      ${value && html`<${Shown} receipt=${value} />`}
      <${Refusal} error=${error} onAgain=${reload} />
    <//>`;
}

function Shown({ receipt }: { receipt: PixReceipt }): VNode {
  const amount = formatBrl(receipt.amountBrl);
  const facts = factsOf(receipt);
  return html`
    <div class="outcome good">
      <p class="sum">${amount}</p>
      <p class="strong">${t('Paid by PIX')}</p>
    </div>
    <${Facts} facts=${facts} />
    <${Share} title=${t('PIX receipt')} text=${textOf([{ name: t('Paid by PIX'), value: amount }, ...facts])} />
    <${Button} kind="second" onPress=${() => print()}>${t('Print')}<//>`;
}

const factsOf = (receipt: PixReceipt): Fact[] => [
  { name: t('From'), value: receipt.payerName },
  { name: t('Institution of the payer'), value: receipt.payerInstitution },
  { name: t('To'), value: receipt.recipientName },
  { name: t('Institution of the recipient'), value: receipt.recipientInstitution },
  { name: nameOfKeyType(receipt.pixKeyType), value: receipt.pixKeyMasked, isCode: true },
  { name: t('Time in São Paulo'), value: saoPauloMomentOf(receipt.completedAtSaoPaulo) },
  { name: t('End-to-end id'), value: receipt.endToEndId, isCode: true },
  { name: t('Returned since'), value: receipt.returnedAmountBrl && formatBrl(receipt.returnedAmountBrl) },
];

const textOf = (facts: Fact[]): string =>
  facts
    .filter(({ value }) => value)
    .map(({ name, value }) => `${name}: ${value}`)
    .join('\n');
