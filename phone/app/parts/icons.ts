// Line drawings, 24 by 24. They only repeat the word next to them, so screen readers skip them.
import { html } from 'htm/preact';
import type { VNode } from 'preact';

const PATHS = {
  back: 'M15 5l-7 7 7 7',
  next: 'M9 5l7 7-7 7',
  add: 'M12 5v14M5 12h14',
  pay: 'M5 12h13M12 5l7 7-7 7',
  withdraw: 'M4 10l8-5 8 5M6 10v7M10 10v7M14 10v7M18 10v7M4 20h16',
  deposit: 'M12 4v12M6 11l6 6 6-6M5 20h14',
  home: 'M4 11l8-7 8 7v9h-5v-6H9v6H4z',
  history: 'M4 6h16M4 12h16M4 18h10',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM5 20c1-4 4-5.500 7-5.500s6 1.500 7 5.500',
  done: 'M5 12.500l4.500 4.500L19 7.500',
  alert: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 8v4.500M12 16h.01',
  good: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM8.500 12.300l2.500 2.500 4.500-5',
  bridge: 'M2 17h20M4 17v-2a8 8 0 0 1 16 0v2M12 7v10M8 8.200V17M16 8.200V17',
  cross: 'M7 7l10 10M17 7L7 17',
  wait: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7.500V12l3 2',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  scan: 'M4 8V4h4M16 4h4v4M20 16v4h-4M8 20H4v-4M8 12h8',
  key: 'M14 10a4 4 0 1 0-3.500 4L13 16.500V19h3v-3h2.500l.5-3z',
  shield: 'M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6z',
} as const;

export type IconName = keyof typeof PATHS;

export const Icon = ({ name }: { name: IconName }): VNode => html`
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d=${PATHS[name]} /></svg>`;
