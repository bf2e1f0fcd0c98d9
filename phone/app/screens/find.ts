// Opens the screen of an id that the sandbox's console also knows. The console's pages lead here.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { Loading, Note } from '../parts/note.ts';
import { Refusal } from '../parts/refusal.ts';
import { Screen } from '../parts/screen.ts';
import { meStore } from '../state/me.ts';
import { replaceWith } from '../state/route.ts';
import { ponte } from '../state/session.ts';
import { take } from '../state/take.ts';
import { useLoaded } from '../state/use-loaded.ts';
import { t } from '../texts/t.ts';

/** Only the newest payments are searched. */
const SEARCHED = 50;

/** @param id the end-to-end id or the receipt of a payment, or the number of the person's account. */
export function Find({ id }: { id: string }): VNode {
  const { value: found, error, reload } = useLoaded(async () => ({ path: await pathOf(id) }), id);
  useEffect(() => {
    if (found?.path) replaceWith(found.path);
  }, [found]);
  return html`
    <${Screen} title=${t('Find')} back="#/">
      ${found === null && error === null && html`<${Loading} what=${t('Searching…')} />`}
      ${
        found?.path === null &&
        html`
      <${Note} kind="plain" title=${t('Nothing here has this id')}>
        <p>${t('It may belong to another person. Sign in as that person, then follow the link again.')}</p>
        <p class="small"><code>${id}</code></p>
      <//>`
      }
      <${Refusal} error=${error} onAgain=${reload} />
    <//>`;
}

async function pathOf(id: string): Promise<string | null> {
  const deposit = meStore.get().me?.deposit;
  if (id === deposit?.accountNumber || id === deposit?.iban) return '/add-money';
  const { items } = await take(ponte.payments({ pageSize: SEARCHED }), SEARCHED);
  const payment = items.find(({ endToEndId, voucherId }) => id === endToEndId || id === voucherId);
  return payment === undefined ? null : `/payments/${payment.id}`;
}
