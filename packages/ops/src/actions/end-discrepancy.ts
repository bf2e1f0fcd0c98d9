// Ends the payment or withdrawal that a discrepancy blocks, in the state that an operator has determined. It goes through the machine
// and resolves the discrepancy in the same commit.

import type { AnyStateMachine, EventFromLogic } from 'xstate';
import { arrowsOf } from '../../../../machines/arrows.ts';
import type { Clock } from '../../../../src/domain/clock.ts';
import { invalidateBalance } from '../../../../src/ledger/invalidate.ts';
import { advance, lockRow } from '../../../../src/lifecycle/advance.ts';
import type { Lifecycle, LifecycleRow } from '../../../../src/lifecycle/lifecycle.ts';
import { pixPayment } from '../../../../src/lifecycle/pix-payment.ts';
import { withdraw } from '../../../../src/lifecycle/withdraw.ts';
import { type Committing, transaction } from '../../../../src/outbox/hand-off.ts';
import type { SubjectKind } from '../../../../src/platform/database/entities/subject.ts';
import type { Cause } from '../../../../src/platform/database/entities/transition.ts';
import type { Db } from '../../../../src/platform/database/orm.ts';
import { auditOperator, type By } from '../../../../src/platform/security/audit-operator.ts';
import { findDiscrepancyById, resolveOpenOfKind } from '../../../../src/platform/sql/discrepancies.ts';
import type { DiscrepancyKind } from '../../../../src/reports/discrepancies.ts';
import { type CommandCall, type CommandSpec, OpsFailure, UsageError } from '../command.ts';
import { printResult } from '../output.ts';

const reviewOutcomes = ['completed', 'failed', 'manual_review'] as const;
type ReviewOutcome = (typeof reviewOutcomes)[number];

export const discrepanciesEndCommand: CommandSpec = {
  name: 'discrepancies end',
  summary: 'end the payment or withdrawal that a discrepancy holds, in its true state',
  argument: { name: 'id', form: 'uuid' },
  options: {
    as: {
      placeholder: '<state>',
      summary: 'its true state; failed for withdrawals only, manual_review for payments only',
      isRequired: true,
      values: reviewOutcomes,
    },
  },
  run,
};

async function run({ app, out, argument: id, options, operator, reason }: CommandCall): Promise<void> {
  const as = reviewOutcomes.find((outcome) => outcome === options['as']);
  if (as === undefined) throw new UsageError(`--as takes one of ${reviewOutcomes.join(', ')}.`);
  const ended = await endDiscrepancy(app, id, as, { operator, reason });
  switch (ended.outcome) {
    case 'ended':
      return printResult(out, { changed: true, sentence: sentences[as] });
    case 'resolved_before':
      return printResult(out, { changed: false, sentence: 'The discrepancy was resolved before.' });
    case 'not_found':
      throw new OpsFailure(`There is no discrepancy ${id}.`);
    case 'holds_nothing':
      throw new OpsFailure('The discrepancy holds no payment and no withdrawal: see discrepancies resolve.');
    case 'not_allowed':
      throw new OpsFailure(
        ended.allowed.length === 0
          ? `Its payment or withdrawal is ${ended.state}, an end state: see discrepancies resolve.`
          : `Its payment or withdrawal is ${ended.state}: it can end as ${ended.allowed.join(' or ')}.`,
      );
  }
}

const sentences: Record<ReviewOutcome, string> = {
  completed: 'It is completed, and the user sees that. The discrepancy is resolved.',
  failed: 'It has failed, and the user sees that. The discrepancy is resolved.',
  manual_review: 'It is in manual_review, an end state, and support settles it. The discrepancy is resolved.',
};

/** The kinds of discrepancies that block a row. An operator may end no other rows. */
const holding: ReadonlySet<DiscrepancyKind> = new Set(['not_as_ordered', 'vanished']);

type Ended =
  | { outcome: 'ended' | 'not_found' | 'resolved_before' | 'holds_nothing' }
  /** The machine does not allow the end state. `allowed` lists the end states that it allows. */
  | { outcome: 'not_allowed'; state: string; allowed: string[] };

async function endDiscrepancy(
  { db, outbox, clock }: Committing & { clock: Clock },
  id: string,
  as: ReviewOutcome,
  by: By,
): Promise<Ended> {
  const now = clock.now();
  return transaction({ db, outbox }, async (tx): Promise<Ended> => {
    const found = await findDiscrepancyById(tx, { id });
    if (!found) return { outcome: 'not_found' };
    const end = ends[found.subjectKind];
    if (!holding.has(found.kind) || !end) return { outcome: 'holds_nothing' };
    // The row is locked before the discrepancy is read again, so a caller that waited for the lock sees that it was resolved.
    const ended = await end(tx, { id: found.subjectId, userId: found.userId }, as, {
      isOpen: async () => (await findDiscrepancyById(tx, { id }))?.resolvedAt === null,
      cause: { kind: 'operator', id: by.operator },
      now,
    });
    if (ended.outcome !== 'ended') return ended;
    await resolveOpenOfKind(tx, { ...found, resolvedAt: now, resolution: by.reason });
    await invalidateBalance(tx, found.userId);
    const action = `discrepancies end --as ${as}`;
    await auditOperator(tx, { ...by, action, target: id, userId: found.userId, now });
    return ended;
  });
}

type Ending = { isOpen: () => Promise<boolean>; cause: Cause; now: Date };
type End = (
  tx: Db,
  subject: { id: string; userId: string },
  as: ReviewOutcome,
  ending: Ending,
) => Promise<Ended>;

const ending =
  <Machine extends AnyStateMachine, Row extends LifecycleRow<Machine>>(
    lifecycle: Lifecycle<Machine, Row>,
  ): End =>
  async (tx, subject, as, { isOpen, cause, now }) => {
    const row = await lockRow(tx, lifecycle, subject);
    if (row === null) return { outcome: 'holds_nothing' };
    if (!(await isOpen())) return { outcome: 'resolved_before' };
    const event = { type: `reviewed.${as}` } as EventFromLogic<Machine>;
    if ((await advance(tx, lifecycle, row, event, cause, now)) !== null) return { outcome: 'ended' };
    return { outcome: 'not_allowed', state: row.state, allowed: allowedIn(lifecycle.machine, row.state) };
  };

const ends: Partial<Record<SubjectKind, End>> = {
  pix_payment: ending(pixPayment),
  withdraw: ending(withdraw),
};

const allowedIn = (machine: AnyStateMachine, state: string): string[] =>
  arrowsOf(machine).flatMap(({ from, event }) =>
    from === state && event.startsWith('reviewed.') ? [event.slice('reviewed.'.length)] : [],
  );
