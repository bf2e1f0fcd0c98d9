// The entry of the phone: it draws the app into the page.
import { html, render } from 'htm/preact';
import { App } from './app.ts';
import { language } from './texts/language.ts';

document.documentElement.lang = language;
const place = document.querySelector<HTMLElement>('#phone');
if (place) render(html`<${App} />`, place);
