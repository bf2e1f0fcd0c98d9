// Chooses the colour of a state: red for a failure or a row that waits for an operator, yellow for a row that may still complete, green
// for a good end.
import type { Style } from './output.ts';

const red = new Set(['manual_review', 'exhausted', 'unmatched', 'failed', 'unreachable']);
const yellow = new Set(['payout_failed', 'refunding', 'received', 'queued', 'paused']);
const green = new Set(['completed', 'applied', 'done', 'active', 'refunded']);

export function paintState(state: string, style: Style): (text: string) => string {
  if (red.has(state)) return style.red;
  if (yellow.has(state)) return style.yellow;
  return green.has(state) ? style.green : (text) => text;
}
