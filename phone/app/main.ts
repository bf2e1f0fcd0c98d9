// The entry of the phone: it draws the app into the page.
import { html, render } from 'htm/preact';
import { App } from './app.ts';

const place = document.querySelector<HTMLElement>('#phone');
if (place) render(html`<${App} />`, place);
