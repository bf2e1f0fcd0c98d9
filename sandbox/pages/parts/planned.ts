// The planned steps of a resource, and their times.
import { plannedSteps } from '../../schedule.ts';
import type { World } from '../../world.ts';
import { type Html, html } from '../html.ts';
import { badge } from './badge.ts';
import { fullTime } from './time.ts';

export function planned(world: World, uuid: string): Html | null {
  const steps = plannedSteps(world, uuid);
  if (steps.length === 0) return null;
  return html`${steps.map(({ status, due_at }, at) => html`${at === 0 ? '' : html`<br>`}${badge(status)} at ${fullTime(Date.parse(due_at))}`)}`;
}
