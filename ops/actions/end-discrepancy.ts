// Ends the payment or withdrawal that a discrepancy blocks, in the state that an operator has determined. It goes through the machine
// and resolves the discrepancy in the same commit.
import type { AnyStateMachine, EventFromLogic } from 'xstate';
import { arrowsOf } from '../../machines/arrows.ts';
import { invalidateBalance } from '../../src/ledger/invalidate.ts';
import { advance, lockRow } from '../../src/lifecycle/advance.ts';
import type { Lifecycle, LifecycleRow } from '../../src/lifecycle/lifecycle.ts';
import { pixPayment } from '../../src/lifecycle/pix-payment.ts';
import { withdraw } from '../../src/lifecycle/withdraw.ts';
import { type EnqueuingTx, transaction } from '../../src/outbox/hand-off.ts';
import type { DiscrepancyKind } from '../../src/reports/discrepancies.ts';
import { findDiscrepancyById, resolveOpenOfKind } from '../../src/tables/discrepancies/statements.ts';
import type { Entity } from '../../src/tables/rows.ts';
import type { SubjectKind } from '../../src/tables/subject.ts';
import type { Cause } from '../../src/tables/transitions/entity.ts';
import { lockUserRow } from '../../src/tables/users/statements.ts';
import { audit, changed, unchanged } from '../action.ts';
import { type CommandSpec, OpsFailure, UsageError } from '../command.ts';

const reviewOutcomes = ['completed', 'failed', 'manual_review'] as const;
type ReviewOutcome = (typeof reviewOutcomes)[number];

export const discrepanciesEndCommand: CommandSpec = {
  name: 'discrepancies end',
  summary: 'end the payment or withdrawal that a discrepancy blocks, in its true state',
  argument: { name: 'id', form: 'uuid' },
  options: {
    as: {
      placeholder: '<state>',
      summary: 'its true state; failed for withdrawals only, manual_review for payments only',
      isRequired: true,
      values: reviewOutcomes,
    },
  },
  run: (call) => {
    const { app, argument: id, options, operator, reason } = call;
    const as = reviewOutcomes.find((outcome) => outcome === options['as']);
    if (as === undefined) throw new UsageError(`--as takes one of ${reviewOutcomes.join(', ')}.`);
    const now = app.clock.now();
    return transaction(app, async (tx) => {
      const found = await findDiscrepancyById(tx, { id });
      if (!found) throw new OpsFailure(`There is no discrepancy ${id}.`);
      const end = ends[found.subjectKind];
      if (!blocking.has(found.kind) || !end) throw new OpsFailure(BLOCKS_NOTHING);
      await lockUserRow(tx, { userId: found.userId });
      const isEnded = await end(tx, found, as, { kind: 'operator', id: operator }, now);
      if (!isEnded) return unchanged('The discrepancy was resolved before.');
      const { handle, kind, userId } = found;
      await resolveOpenOfKind(tx, { handle, userId, kind, resolvedAt: now, resolution: reason });
      await invalidateBalance(tx, userId);
      await audit(tx, call, { target: id, userId, action: `discrepancies end --as ${as}` });
      return changed(sentences[as]);
    });
  },
};

const sentences: Record<ReviewOutcome, string> = {
  completed: 'It is completed, and the user sees that. The discrepancy is resolved.',
  failed: 'It has failed, and the user sees that. The discrepancy is resolved.',
  manual_review: 'It is in manual_review, an end state, and support settles it. The discrepancy is resolved.',
};

const BLOCKS_NOTHING = 'The discrepancy blocks no payment and no withdrawal: see discrepancies resolve.';

/** The kinds of discrepancies that block a row. An operator may end no other rows. */
const blocking: ReadonlySet<DiscrepancyKind> = new Set(['not_as_ordered', 'vanished']);

/** Ends the row of a discrepancy. Returns false if the discrepancy was resolved in the meantime. */
type End = (
  tx: EnqueuingTx,
  discrepancy: Entity<'Discrepancy'>,
  as: ReviewOutcome,
  cause: Cause,
  now: Date,
) => Promise<boolean>;

const ending =
  <Machine extends AnyStateMachine, Row extends LifecycleRow<Machine>>(
    lifecycle: Lifecycle<Machine, Row>,
  ): End =>
  async (tx, { id, subjectId, userId }, as, cause, now) => {
    const row = await lockRow(tx, lifecycle, { id: subjectId, userId });
    if (row === null) throw new OpsFailure(BLOCKS_NOTHING);
    // It is read again under the row's lock, so a caller that waited for the lock sees that it was resolved.
    const discrepancy = await findDiscrepancyById(tx, { id });
    if (discrepancy?.resolvedAt !== null) return false;
    const event = { type: `reviewed.${as}` } as EventFromLogic<Machine>;
    if ((await advance(tx, lifecycle, row, event, cause, now)) !== null) return true;
    const allowed = allowedIn(lifecycle.machine, row.state);
    throw new OpsFailure(
      allowed.length === 0
        ? `Its payment or withdrawal is ${row.state}, an end state: see discrepancies resolve.`
        : `Its payment or withdrawal is ${row.state}: it can end as ${allowed.join(' or ')}.`,
    );
  };

const ends: Partial<Record<SubjectKind, End>> = {
  pix_payment: ending(pixPayment),
  withdraw: ending(withdraw),
};

const allowedIn = (machine: AnyStateMachine, state: string): string[] =>
  arrowsOf(machine).flatMap(({ from, event }) =>
    from === state && event.startsWith('reviewed.') ? [event.slice('reviewed.'.length)] : [],
  );
