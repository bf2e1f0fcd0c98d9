// The screen of a closed account.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { dateOf } from '../dates.ts';
import { Button } from '../parts/button.ts';
import { Note } from '../parts/note.ts';
import { Screen } from '../parts/screen.ts';
import { createStore } from '../state/store.ts';
import { t } from '../texts/t.ts';

/** When the last records of the account that was just closed are deleted. Null if none was. */
export const closedUntil = createStore<string | null>(null);

export const Closed = ({ until }: { until: string }): VNode => html`
  <${Screen} title=${t('Goodbye')}>
    <div role="status">
      <${Note} kind="good" title=${t('Your account is closed')}>
        <p>${t('What the law makes us keep is deleted on {date}.', { date: dateOf(until) })}</p>
      <//>
    </div>
    <${Button} kind="second" onPress=${() => closedUntil.set(null)}>${t('Done')}<//>
  <//>`;
