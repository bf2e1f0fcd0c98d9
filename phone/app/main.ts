// The phone begins here.
import { html, render } from 'htm/preact';
import { App } from './app.ts';

const place = document.querySelector<HTMLElement>('#phone');
if (place) render(html`<${App} />`, place);
