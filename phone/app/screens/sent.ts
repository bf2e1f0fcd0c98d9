// Nothing is left to be sent: the answer has come, and a reload has kept the address of the sending.
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
