// Once it is quiet everything comes to an end state, `payout_failed` or `manual_review`, and the queue is empty, in time.
import { statusOf } from '../../../machines/step.ts';
import type { Books } from '../books.ts';
import type { Hold } from '../tally.ts';

export const REST_WITHIN_MS = 60_000;

const resting = new Set([
  'completed',
  'failed',
  'refunded',
  'manual_review',
  'payout_failed',
  'conversion_failed',
]);

export function allIsAtRest({ ours, theirs, seen }: Books, hold: Hold): void {
  for (const { id, state } of [...ours.payments, ...ours.withdraws])
    hold(id, resting.has(statusOf(state)), `still ${state}`);
  for (const { id, state, currency } of ours.accounts)
    hold(id, state === 'active', `the ${currency} account is still ${state}`);
  for (const { subject_id: id, type, status, attempts, last_error: error } of ours.effects)
    hold(
      id,
      status === 'done' || status === 'superseded',
      `${type} is ${status} after ${attempts} attempts: ${error}`,
    );
  for (const { id, event_type: event, status, attempts } of ours.callbacks)
    hold(id, status !== 'received', `${event} is still to be processed after ${attempts} attempts`);
  for (const { id, task, key, attempts } of ours.jobs)
    hold(`job ${id}`, false, `${task} ${key ?? ''} is still queued after ${attempts} attempts`);
  for (const { uuid, task } of theirs.planned)
    hold(uuid, false, `the provider still has a ${task} to settle`);
  if (seen.restedAfterMs !== undefined)
    hold(
      'the run',
      seen.restedAfterMs !== null && seen.restedAfterMs <= REST_WITHIN_MS,
      seen.restedAfterMs === null ? 'never came to rest' : `took ${seen.restedAfterMs} ms to come to rest`,
    );
}
