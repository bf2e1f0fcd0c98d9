// The balance, the actions that it allows, what needs the person, and the latest movements.
import type { Me } from '@ponte/client';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { whenOf } from '../dates.ts';
import { formatMinor } from '../money.ts';
import { Icon, type IconName } from '../parts/icons.ts';
import { Movement } from '../parts/movement.ts';
import { Loading } from '../parts/note.ts';
import { Refusal } from '../parts/refusal.ts';
import { Screen } from '../parts/screen.ts';
import { meStore, refreshMe } from '../state/me.ts';
import { takeMovements } from '../state/movements.ts';
import { ponte } from '../state/session.ts';
import { useInterval } from '../state/use-interval.ts';
import { useLoaded } from '../state/use-loaded.ts';
import { t } from '../texts/t.ts';
import { NeedsYou } from './needs-you.ts';

const REFRESH_MS = 5_000;
const SHOWN = 4;

export function Home(): VNode {
  const { me, error } = meStore.use();
  const recent = useLoaded(
    async () => (await takeMovements(ponte.transactions({ pageSize: SHOWN }), SHOWN)).items,
  );
  useInterval(() => {
    void refreshMe();
    recent.reload();
  }, REFRESH_MS);
  const name = me?.user.displayName.split(' ')[0];
  return html`
    <${Screen} title=${name ? t('Hello, {name}', { name }) : t('Hello')}>
      ${me && html`<${Balance} me=${me} isOld=${error !== null} />`}
      <${Refusal} error=${error} onAgain=${() => void refreshMe()} />
      ${me && html`<${NeedsYou} me=${me} />`}
      <section aria-labelledby="recent">
        <div class="heading"><h2 id="recent">${t('Recent')}</h2><a class="more" href="#/history">${t('See all')}</a></div>
        <${Refusal} error=${recent.error} onAgain=${recent.reload} />
        ${recent.value === null && recent.error === null && html`<${Loading} what=${t('Reading…')} />`}
        ${recent.value?.length === 0 && html`<p class="empty">${t('Nothing yet. Your money will show up here.')}</p>`}
        <ul class="movements">
          ${recent.value?.map((one) => html`<${Movement} key=${one.transaction.id} moved=${one} when=${whenOf(one.transaction.createdAt)} />`)}
        </ul>
      </section>
    <//>`;
}

const ACTIONS: { to: string; label: string; icon: IconName }[] = [
  { to: '#/pay', label: t('Pay'), icon: 'scan' },
  { to: '#/add-money', label: t('Add money'), icon: 'add' },
  { to: '#/withdraw', label: t('Withdraw'), icon: 'withdraw' },
];

const Balance = ({ me: { balance }, isOld }: { me: Me; isOld: boolean }): VNode => html`
  <section class="card" aria-labelledby="balance">
    <h2 id="balance">${t('Balance')}</h2>
    <p class="sum" role="status">${balance ? formatMinor(balance.amount, balance.currency) : '–'}</p>
    ${isOld && html`<p class="old">${t('It may be out of date.')}</p>`}
    <ul class="actions">
      ${ACTIONS.map(
        ({ to, label, icon }) => html`
      <li key=${to}><a href=${to}><span class="disc"><${Icon} name=${icon} /></span>${label}</a></li>`,
      )}
    </ul>
  </section>`;
