// A line with the recipient of a payment.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import type { Draft } from '../state/intents.ts';
import { t } from '../texts/t.ts';
import { Icon } from './icons.ts';

type Props = Pick<Draft, 'pixKey' | 'pixKeyType' | 'recipientName'>;

const NAMES: Record<Draft['pixKeyType'], string> = {
  cpf: 'CPF',
  cnpj: 'CNPJ',
  phone: t('Phone'),
  email: t('E-mail'),
  evp: t('Random key'),
};

export const nameOfKeyType = (type: string): string =>
  Object.hasOwn(NAMES, type) ? NAMES[type as Draft['pixKeyType']] : t('PIX key');

export const Recipient = ({ pixKey, pixKeyType, recipientName }: Props): VNode => html`
  <div class="recipient">
    <span class="disc"><${Icon} name=${recipientName === null ? 'key' : 'person'} /></span>
    <span class="what">
      <span class="strong">${recipientName ?? pixKey}</span>
      <span class="soft">${nameOfKeyType(pixKeyType)}${recipientName !== null && html` · ${pixKey}`}</span>
    </span>
  </div>`;
