// Fetches every resource of every unfinished row from the provider and applies the snapshots. If a resource has never existed there
// and its effect is neither queued nor exhausted, the effect is queued again.
import { arrowsOf, beginningOf } from '../../../machines/arrows.ts';
import { payoutRefundMachine } from '../../../machines/payout-refund.machine.ts';
import { pixPaymentMachine } from '../../../machines/pix-payment.machine.ts';
import { providerAccountMachine } from '../../../machines/provider-account.machine.ts';
import { withdrawMachine } from '../../../machines/withdraw.machine.ts';
import { NIL_UUID } from '../../domain/ids.ts';
import { inDbTransaction } from '../../platform/database/db-transaction.ts';
import { refetch } from '../../reports/poll-resource.ts';
import { lockEffectOfTransition, queueEffectAgain } from '../../tables/effects/statements.ts';
import { findUnfinished, listUnfinished } from '../../tables/lifecycles.ts';
import { listResourcesOfSubject } from '../../tables/provider-resources/statements.ts';
import type { SubjectKind } from '../../tables/subject.ts';
import { count } from '../counters.ts';
import { forEach, nextAfter, type PagePosition, type PageResult, type StageContext } from '../stage.ts';
import { recoverRefund } from './recover-refund.ts';
import { namesOf, type Unfinished } from './unfinished.ts';

const PAGE_SIZE = 50;

export async function refetchUnfinished(
  context: StageContext,
  kind: SubjectKind,
  { after }: PagePosition,
): Promise<PageResult> {
  const rows = await listUnfinished[kind](context.db, { after: after ?? NIL_UUID, limit: PAGE_SIZE });
  await forEach(context, namesOf[kind], rows, (row) => refetchAll(context, kind, row));
  count(context.counters, `${namesOf[kind]} fetched`, rows.length);
  return { next: nextAfter(rows, PAGE_SIZE, ({ id }) => id) };
}

async function refetchAll(context: StageContext, kind: SubjectKind, row: Unfinished): Promise<void> {
  const { db, cause, counters } = context;
  let isAbsent = false;
  // Resources are listed in the order of their creation, so that earlier events are applied first.
  for (const resource of await listResourcesOfSubject(db, { subjectId: row.id, userId: row.userId })) {
    const observed = await refetch(context, resource, cause);
    if (observed === 'applied') count(counters, `${namesOf[kind]} corrected`);
    if (observed === 'vanished') count(counters, 'objects vanished');
    if (observed === 'absent') isAbsent = true;
  }
  if (kind === 'pix_payment') await recoverRefund(context, row);
  if (isAbsent) await orderAgain(context, kind, row);
}

/** Queues an effect again that is marked as completed although its resource does not exist. It uses the same handle, so this is safe. */
async function orderAgain(
  { db, counters }: StageContext,
  kind: SubjectKind,
  { id, userId }: Unfinished,
): Promise<void> {
  const row = await findUnfinished[kind](db, { id, userId });
  if (!row || !ordering[kind].has(row.state)) return;
  await inDbTransaction(db, async (tx) => {
    const effect = await lockEffectOfTransition(tx, { subjectId: row.id, userId, seq: row.seq });
    if (!effect) throw new Error(`a row in ${row.state} has no effect`);
    if (effect.status === 'queued' || effect.status === 'exhausted') return;
    await queueEffectAgain(tx, { ...effect, userId });
    count(counters, 'effects ordered again');
  });
}

/** The states of each kind of row that emit an effect when they are entered. */
const ordering: Record<SubjectKind, Set<string>> = {
  kyc: new Set(),
  provider_account: statesThatOrder(providerAccountMachine),
  pix_payment: statesThatOrder(pixPaymentMachine),
  withdraw: statesThatOrder(withdrawMachine),
  contestation: new Set(),
  payout_refund: statesThatOrder(payoutRefundMachine),
};

function statesThatOrder(machine: Parameters<typeof arrowsOf>[0]): Set<string> {
  const ways = [beginningOf(machine), ...arrowsOf(machine)];
  return new Set(ways.filter(({ effects }) => effects.length > 0).map(({ to }) => to));
}
