// The answer has come, and a reload kept the address of the sending: this leads on to where the answer led.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { answeredAt } from '../state/intents.ts';
import { replaceWith } from '../state/route.ts';
import { StartOver } from './start-over.ts';

export function Sent(): VNode | null {
  const path = answeredAt.get();
  useEffect(() => {
    if (path !== null) replaceWith(path);
  }, [path]);
  return path === null ? html`<${StartOver} />` : null;
}
