// From a resource at the provider to the row of ours that ordered it, locked, with the machine that decides for it.
import type { AnyStateMachine, EventFromLogic } from 'xstate';
import type { Db } from '../database/orm.ts';
import type { ProviderEvent } from '../provider/events.ts';
import type { Snapshot } from '../provider/port.ts';
import { advance, lockRow } from './advance.ts';
import { isRepetition, type Refused } from './discrepancies.ts';
import type { SubjectFacts } from './facts.ts';
import { kyc } from './kyc.ts';
import type { Cause, Lifecycle, LifecycleRow } from './lifecycle.ts';
import { kycEvent, pixPaymentEvent, providerAccountEvent, withdrawEvent } from './machine-events.ts';
import { pixPayment } from './pix-payment.ts';
import { providerAccount } from './provider-account.ts';
import type { Resource } from './resource.ts';
import { withdraw } from './withdraw.ts';

export type LockedSubject = {
  state: string;
  /** Writes facts that no machine decides about; never a state. */
  record: (columns: SubjectFacts) => Promise<void>;
  /** @returns whether the row's state accepted the event, has taken it before, or does not allow it. */
  advance: (event: ProviderEvent, cause: Cause, now: Date) => Promise<'accepted' | 'repeated' | Refused>;
};

/** Locks the row that ordered `resource` for the rest of the transaction; null when it is gone. */
export function subjectOf(tx: Db, resource: Resource, snapshot: Snapshot): Promise<LockedSubject | null> {
  const { subject_kind: kind, leg } = resource;
  const subject = { id: resource.subject_id, userId: resource.user_id };
  switch (kind) {
    case 'pix_payment':
      return locked(tx, pixPayment, subject, (event) => pixPaymentEvent(event, leg));
    case 'withdraw':
      return locked(tx, withdraw, subject, withdrawEvent);
    case 'kyc':
      return locked(tx, kyc, subject, (event) =>
        kycEvent(event, snapshot.kind === 'owner' ? snapshot.level : null),
      );
    case 'provider_account':
      return locked(tx, providerAccount, subject, providerAccountEvent);
  }
}

async function locked<Machine extends AnyStateMachine, Row extends LifecycleRow<Machine>>(
  tx: Db,
  lifecycle: Lifecycle<Machine, Row>,
  subject: { id: string; userId: string },
  meaningOf: (event: ProviderEvent) => EventFromLogic<Machine> | null,
): Promise<LockedSubject | null> {
  const row = await lockRow(tx, lifecycle, subject);
  if (row === null) return null;
  return {
    state: row.state,
    record: async (columns) => {
      if (Object.keys(columns).length === 0) return;
      await tx
        .updateTable(lifecycle.table as 'withdraws')
        .set(columns)
        .where('id', '=', subject.id)
        .where('user_id', '=', subject.userId)
        .execute();
    },
    advance: async (event, cause, now) => {
      const news: { type: string } | null = meaningOf(event);
      if (news === null) return { news, state: row.state };
      if ((await advance(tx, lifecycle, row, news as EventFromLogic<Machine>, cause, now)) !== null)
        return 'accepted';
      return (await isRepetition(tx, lifecycle.kind, row.id, news)) ? 'repeated' : { news, state: row.state };
    },
  };
}
