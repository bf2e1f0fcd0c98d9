// Saves the transactions of a year as a table for a spreadsheet.
import { csvOf } from '@ponte/client';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { ponte } from '../state/session.ts';
import { useCall } from '../state/use-call.ts';
import { t } from '../texts/t.ts';
import { Button } from './button.ts';
import { Form } from './form.ts';
import { Refusal } from './refusal.ts';

const YEARS = 7;

export function YearTable({ thisYear }: { thisYear: number }): VNode {
  const [year, setYear] = useState(thisYear);
  const call = useCall(async () =>
    download(`ponte-${year}.csv`, csvOf(await ponte.transactionsOfYear(year))),
  );
  const send = (): boolean => {
    call.run();
    return true;
  };
  return html`
    <h2>${t('For your accountant')}</h2>
    <${Form} onSend=${send}>
      <div class="field">
        <label for="year">${t('Year')}</label>
        <div class="box">
          <select id="year" value=${year}
            onChange=${(event: Event) => setYear(Number((event.currentTarget as HTMLSelectElement).value))}>
            ${Array.from({ length: YEARS }, (_, back) => thisYear - back).map((one) => html`<option key=${one} value=${one}>${one}</option>`)}
          </select>
        </div>
      </div>
      <${Refusal} error=${call.error} onAgain=${call.run} />
      <${Button} kind="second" isBusy=${call.isBusy}>${t('Save the year as a table')}<//>
    <//>`;
}

function download(name: string, text: string): void {
  const href = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }));
  Object.assign(document.createElement('a'), { href, download: name }).click();
  // The browser has opened the file by then.
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}
