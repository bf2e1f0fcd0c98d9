// Everything that moved the person's money, newest first, a screenful at a time.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { dayOf, timeOf } from '../dates.ts';
import { Button } from '../parts/button.ts';
import { Movement } from '../parts/movement.ts';
import { Loading } from '../parts/note.ts';
import { Refusal } from '../parts/refusal.ts';
import { Screen } from '../parts/screen.ts';
import { YearTable } from '../parts/year-table.ts';
import { type Moved, takeMovements } from '../state/movements.ts';
import { ponte } from '../state/session.ts';
import { useCall } from '../state/use-call.ts';

const PAGE = 10;

type Shown = { items: Moved[]; hasMore: boolean };

export function History(): VNode {
  const list = useRef(ponte.transactions({ pageSize: PAGE }));
  const [shown, setShown] = useState<Shown>({ items: [], hasMore: true });
  const call = useCall(async () => {
    const { items, hasMore } = await takeMovements(list.current, PAGE);
    setShown((before) => ({ items: [...before.items, ...items], hasMore }));
  });
  const again = (): void => {
    // A list whose reading failed cannot be continued, so it is read from its beginning.
    list.current = ponte.transactions({ pageSize: PAGE });
    setShown({ items: [], hasMore: true });
    call.run();
  };
  useEffect(() => call.run(), []);
  return html`
    <${Screen} title="History">
      ${daysOf(shown.items).map(
        ({ day, items }) => html`
      <section key=${day} aria-label=${day}>
        <h2 class="day">${day}</h2>
        <ul class="movements">${items.map((one) => html`<${Movement} key=${one.transaction.id} moved=${one} when=${timeOf(one.transaction.createdAt)} />`)}</ul>
      </section>`,
      )}
      ${call.isBusy && html`<${Loading} what="Reading…" />`}
      ${!shown.hasMore && shown.items.length === 0 && html`<p class="empty">Nothing yet.</p>`}
      <${Refusal} error=${call.error} onAgain=${again} />
      ${
        shown.hasMore &&
        shown.items.length > 0 &&
        html`
      <${Button} kind="second" isBusy=${call.isBusy} onPress=${call.run}>Show more<//>`
      }
      ${!shown.hasMore && shown.items.length > PAGE && html`<p class="empty">That is everything.</p>`}
      ${shown.items.length > 0 && html`<${YearTable} thisYear=${new Date().getUTCFullYear()} />`}
    <//>`;
}

const daysOf = (items: Moved[]): { day: string; items: Moved[] }[] =>
  [...Map.groupBy(items, ({ transaction }) => dayOf(transaction.createdAt))].map(([day, ofDay]) => ({
    day,
    items: ofDay,
  }));
