// The choice of the phone's language. Each language has its own name, so that those who read no other find it.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { LANGUAGE_KEY, LANGUAGES, type Language, language } from '../texts/language.ts';
import { t } from '../texts/t.ts';

export const Languages = (): VNode => html`
  <div class="languages" role="group" aria-label=${t('Language')}>
    ${Object.entries(LANGUAGES).map(
      ([tag, name]) => html`
    <button key=${tag} type="button" class="more" lang=${tag} aria-pressed=${String(tag === language)}
      onClick=${() => tag === language || choose(tag as Language)}>${name}</button>`,
    )}
  </div>`;

/** Keeps the choice, and draws everything again: a sentence in a constant is translated when its module is loaded. */
function choose(chosen: Language): void {
  localStorage.setItem(LANGUAGE_KEY, chosen);
  location.reload();
}
