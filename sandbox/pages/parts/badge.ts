// A status, in the colour of its meaning. The word also says it.
import { type Html, html } from '../html.ts';

const TONES: Record<string, string> = {
  COMPLETED: 'good',
  ACTIVE: 'good',
  delivered: 'good',
  balanced: 'good',
  PENDING: 'wait',
  PROVISIONING: 'wait',
  waiting: 'wait',
  sending: 'wait',
  FAILED: 'bad',
  ERROR: 'bad',
  lost: 'bad',
  abandoned: 'bad',
  'not balanced': 'bad',
  REFUNDED: 'back',
};

export const badge = (status: string): Html =>
  html`<span class="badge ${TONES[status] ?? 'plain'}">${status}</span>`;
