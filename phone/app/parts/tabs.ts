// The bar at the bottom, with the three screens that are always one tap away.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { t } from '../texts/t.ts';
import { Icon, type IconName } from './icons.ts';

const TABS: { name: string; address: string; label: string; icon: IconName }[] = [
  { name: '', address: '#/', label: t('Home'), icon: 'home' },
  { name: 'history', address: '#/history', label: t('History'), icon: 'history' },
  { name: 'account', address: '#/account', label: t('Account'), icon: 'person' },
];

export const Tabs = ({ current }: { current: string }): VNode => html`
  <nav class="tabs" aria-label=${t('Main')}>
    ${TABS.map(
      ({ name, address, label, icon }) => html`
    <a key=${name} href=${address} aria-current=${name === current ? 'page' : undefined}>
      <${Icon} name=${icon} /><span>${label}</span>
    </a>`,
    )}
  </nav>`;
