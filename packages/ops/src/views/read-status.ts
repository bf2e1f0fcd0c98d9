// Reads the data of the `status` command from the database in a few statements.

import type { Clock } from '../../../../src/domain/clock.ts';
import { type JobOutcome, jobOutcomes } from '../../../../src/jobs/outcomes.ts';
import { namesOf } from '../../../../src/jobs/reconciliation/unfinished.ts';
import { type Age, agesOf } from '../../../../src/lifecycle/ages.ts';
import { countAttention } from '../../../../src/lifecycle/attention.ts';
import { version } from '../../../../src/platform/config/version.ts';
import type { Db } from '../../../../src/platform/database/orm.ts';
import { countOutbox, SHOWN_AFTER_FAILURES } from '../../../../src/platform/sql/backlog.ts';
import {
  countRotationsAndBreaks,
  listLastRuns,
  listLivingWorkers,
  listOpenCircuits,
  listPauses,
} from '../../../../src/platform/sql/ops/status.ts';
import { span } from '../format.ts';

export type Status = Awaited<ReturnType<typeof readStatus>>;

export async function readStatus({ db, clock }: { db: Db; clock: Clock }) {
  const [workers, outbox, pauses, circuits, ages, waiting, runs, nights] = await Promise.all([
    listLivingWorkers(db, {}),
    countOutbox(db, {}),
    listPauses(db, {}),
    listOpenCircuits(db, {}),
    agesOf(db, clock.now()),
    waitingForPeople(db),
    listLastRuns(db, {}),
    jobOutcomes(db, clock.now()),
  ]);
  const attention: AttentionLine[] = [...ages.flatMap(pastLimitOf), ...waiting, ...nights.flatMap(missedBy)];
  return { version, workers, outbox, pauses, circuits, ages, attention, runs };
}

type AttentionLine = { number: number; what: string; see: string };

const missedBy = ({ job, unchecked, isOverdue }: JobOutcome): AttentionLine[] => [
  { number: Number(isOverdue), what: `nightly job without a whole run: ${job}`, see: 'status' },
  { number: unchecked, what: `items left unchecked by ${job}`, see: 'status' },
];

/** Counts the rows that have been in a state for longer than its limit. If the limit is 0, every row in the state counts. */
function pastLimitOf({ lifecycle, state, rail, limitSeconds, pastLimit: number }: Age): AttentionLine[] {
  if (limitSeconds === null) return [];
  const what = [rail, namesOf[lifecycle], 'in', state].filter(Boolean).join(' ');
  return limitSeconds === 0
    ? [{ number, what, see: `payments --state ${state}` }]
    : [{ number, what: `${what} for longer than ${span(limitSeconds * 1_000)}`, see: 'overdue' }];
}

async function waitingForPeople(db: Db): Promise<AttentionLine[]> {
  const [counts, found] = await Promise.all([countAttention(db), countRotationsAndBreaks(db, {})]);
  return [
    { number: counts.payoutFailed, what: 'payments in payout_failed', see: 'payments --state payout_failed' },
    { number: counts.exhaustedEffects, what: 'effects exhausted', see: 'effects' },
    {
      number: counts.failingWork,
      what: `pieces of work that have failed ${SHOWN_AFTER_FAILURES} times in a row or more`,
      see: 'failures',
    },
    { number: counts.unmatchedCallbacks, what: 'callbacks unmatched', see: 'webhooks --status unmatched' },
    { number: counts.openDiscrepancies, what: 'discrepancies open', see: 'discrepancies' },
    { number: counts.openDataRequests, what: 'data requests open', see: 'data-requests' },
    {
      number: counts.dataRequestsDueSoon,
      what: 'data requests to be answered within 7 days, or late',
      see: 'data-requests',
    },
    {
      number: found?.rotations ?? 0,
      what: 'rotations of the webhook secret unfinished',
      see: 'webhook-secret status',
    },
    { number: found?.breaks ?? 0, what: 'breaks in the audit record', see: 'audit verify' },
  ];
}
