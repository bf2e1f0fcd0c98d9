// Everything that moved the person's money, or a part of it, newest first, a screenful at a time.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { dateOf, dayOf, timeOf } from '../dates.ts';
import { Button } from '../parts/button.ts';
import { isFound } from '../parts/found.ts';
import { type Chosen, EVERYTHING, filtersOf, HistoryFilters } from '../parts/history-filters.ts';
import { Movement } from '../parts/movement.ts';
import { Loading } from '../parts/note.ts';
import { Refusal } from '../parts/refusal.ts';
import { Screen } from '../parts/screen.ts';
import { YearTable } from '../parts/year-table.ts';
import { type Moved, takeMovements } from '../state/movements.ts';
import { ponte } from '../state/session.ts';
import { useCall } from '../state/use-call.ts';
import { t } from '../texts/t.ts';

const PAGE = 10;
/** How many movements a search reads at a time, and one request. */
const SEARCHED = 50;

export function History(): VNode {
  const [chosen, setChosen] = useState<Chosen>(EVERYTHING);
  const [text, setText] = useState('');
  return html`
    <${Screen} title=${t('History')}>
      <${HistoryFilters} chosen=${chosen} onChoose=${setChosen} text=${text} onText=${setText} />
      <${Movements} key=${JSON.stringify(chosen)} chosen=${chosen} text=${text.trim()} />
    <//>`;
}

type Shown = { items: Moved[]; hasMore: boolean };

/** The movements that were chosen. Another choice makes another list. */
function Movements({ chosen, text }: { chosen: Chosen; text: string }): VNode {
  const leaving = useRef(new AbortController());
  const begin = () =>
    ponte.transactions({ ...filtersOf(chosen), pageSize: SEARCHED, signal: leaving.current.signal });
  const list = useRef(begin());
  const [shown, setShown] = useState<Shown>({ items: [], hasMore: true });
  const call = useCall(async (count: number) => {
    const { items, hasMore } = await takeMovements(list.current, count);
    setShown((before) => ({ items: [...before.items, ...items], hasMore }));
  });
  const again = (): void => {
    // A list whose reading failed cannot be continued, so it is read from its beginning.
    list.current = begin();
    setShown({ items: [], hasMore: true });
    call.run(PAGE);
  };
  useEffect(() => {
    call.run(PAGE);
    return () => leaving.current.abort();
  }, []);
  const found = text === '' ? shown.items : shown.items.filter((one) => isFound(one, text));
  const isEmpty = !shown.hasMore && shown.items.length === 0;
  return html`
    <p role="status" class="soft">${text !== '' && shown.items.length > 0 && searchedOf(shown, found.length)}</p>
    ${daysOf(found).map(
      ({ day, items }) => html`
    <section key=${day} aria-label=${day}>
      <h2 class="day">${day}</h2>
      <ul class="movements">${items.map((one) => html`<${Movement} key=${one.transaction.id} moved=${one} when=${timeOf(one.transaction.createdAt)} />`)}</ul>
    </section>`,
    )}
    ${call.isBusy && html`<${Loading} what=${t('Reading…')} />`}
    ${isEmpty && html`<p class="empty">${chosen === EVERYTHING ? t('Nothing yet.') : t('Nothing like this.')}</p>`}
    <${Refusal} error=${call.error} onAgain=${again} />
    ${
      shown.hasMore &&
      shown.items.length > 0 &&
      html`
    <${Button} kind="second" isBusy=${call.isBusy} onPress=${() => call.run(text === '' ? PAGE : SEARCHED)}>
      ${text === '' ? t('Show more') : t('Search further back')}
    <//>`
    }
    ${!shown.hasMore && text === '' && shown.items.length > PAGE && html`<p class="empty">${t('That is everything.')}</p>`}
    ${shown.items.length > 0 && html`<${YearTable} thisYear=${new Date().getUTCFullYear()} />`}`;
}

/** Says how many movements a search has found, and how far it has looked. */
function searchedOf({ items, hasMore }: Shown, found: number): string {
  const oldest = items.at(-1)?.transaction.createdAt ?? '';
  const count = items.length;
  return hasMore
    ? t('{found} found in the newest {count}, back to {date}.', { found, count, date: dateOf(oldest) })
    : t('{found} found in all {count}.', { found, count });
}

const daysOf = (items: Moved[]): { day: string; items: Moved[] }[] =>
  [...Map.groupBy(items, ({ transaction }) => dayOf(transaction.createdAt))].map(([day, ofDay]) => ({
    day,
    items: ofDay,
  }));
