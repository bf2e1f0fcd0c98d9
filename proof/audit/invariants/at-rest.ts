// After the faults, every row reaches a final state, `payout_failed` or `manual_review` in time, and the outbox is empty.
import type { Books } from '../books.ts';
import type { Check } from '../counts.ts';
import { type Standing, states } from '../rules/states.ts';

const REST_WITHIN_MS = 60_000;
/**
 * The additional time for pending refusals. A refusal is pending while an earlier request of its effect may be in flight. If the
 * provider claims a long life for a quote, this takes five minutes from the quote's receipt and 90 s after its end; otherwise it
 * takes four minutes.
 */
const MAX_PENDING_MS = 7 * 60_000;

export function allIsAtRest({ ours, theirs, seen }: Books, check: Check): void {
  for (const { id, state } of ours.payments) check(id, rests(states.pix_payment[state]), `still ${state}`);
  for (const { id, state } of ours.withdraws) check(id, rests(states.withdraw[state]), `still ${state}`);
  for (const { id, state, currency } of ours.accounts)
    check(id, state === 'active', `the ${currency} account is still ${state}`);
  for (const { subject_id: id, type, status, attempts, last_error: error } of ours.effects)
    check(
      id,
      status === 'done' || status === 'superseded',
      `${type} is ${status} after ${attempts} attempts: ${error}`,
    );
  for (const { id, event_type: event, status, attempts } of ours.callbacks)
    check(id, status !== 'received', `${event} is still to be processed after ${attempts} attempts`);
  for (const { id, what, attempts, is_leased: isLeased } of ours.work)
    check(id, false, `${what} is still ${isLeased ? 'leased' : 'due'} after ${attempts} attempts`);
  for (const { uuid, task } of theirs.planned)
    check(uuid, false, `the provider still has a ${task} to settle`);
  const { restedAfterMs, heldForMs } = seen;
  if (restedAfterMs === undefined) return;
  check('the run', heldForMs <= MAX_PENDING_MS, `held a refusal for ${heldForMs} ms`);
  check(
    'the run',
    restedAfterMs !== null && restedAfterMs - heldForMs <= REST_WITHIN_MS,
    restedAfterMs === null
      ? 'never came to rest'
      : `took ${restedAfterMs} ms to come to rest, and held a refusal for ${heldForMs} ms`,
  );
}

/** A state that is in no list is not at rest. */
const rests = (standing: Standing | undefined): boolean => standing === 'waits' || standing === 'ends';
