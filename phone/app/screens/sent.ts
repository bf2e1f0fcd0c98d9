// Shown after a reload if the answer has arrived but the address is still that of the sending. It leads to where the answer led.
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
