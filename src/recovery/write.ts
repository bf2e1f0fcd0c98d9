// Writes shared by every adoption, in its one commit: a guard against a second adoption, and the resources by which
// later events find the row.
import type { App } from '../app.ts';
import { invalidateBalance } from '../balance/invalidate.ts';
import type { Db } from '../database/orm.ts';
import type { ProviderResourceRow } from '../entities/rows.ts';
import { appliedColumns } from '../lifecycle/ordering.ts';
import { snapshotColumnsOf } from '../lifecycle/snapshot-columns.ts';
import { eventOf } from '../provider/events.ts';
import type { PayoutSnapshot, TransferSnapshot } from '../provider/port.ts';
import { handlesHere } from './find-lost.ts';

export type Part = { snapshot: TransferSnapshot | PayoutSnapshot; leg: ProviderResourceRow['leg'] };
type Subject = Pick<ProviderResourceRow, 'user_id' | 'subject_kind' | 'subject_id'>;

const TAKEN = 'it has a row already';
export const NO_USER = 'its user has no row here';

/** The adoption is too late, or its user has no row: nothing is written. */
export class NotAdoptable extends Error {}

/** Locks the user for the rest of the transaction. @throws NotAdoptable */
export async function claim(tx: Db, userId: string, parts: Part[]): Promise<void> {
  const user = await tx
    .selectFrom('users')
    .select('id')
    .where('id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!user) throw new NotAdoptable(NO_USER);
  const taken = await handlesHere(
    { db: tx },
    parts.map(({ snapshot }) => snapshot.handle),
  );
  if (taken.size > 0) throw new NotAdoptable(TAKEN);
}

/** As the provider's events would have left them: what is not final is polled immediately. */
export async function writeResources(app: App, tx: Db, subject: Subject, parts: Part[]): Promise<void> {
  const now = app.clock.now();
  for (const { snapshot, leg } of parts) {
    const row = {
      ...subject,
      handle: snapshot.handle.toLowerCase(),
      kind: snapshot.kind,
      leg,
      provider_ref: snapshot.providerRef,
      debited_balance_version: null,
      ...appliedColumns(snapshot),
      announced_at: null,
      reason_sealed: null,
      poll_count: 0,
      next_poll_at: eventOf(snapshot) === null ? now : null,
      created_at: snapshot.updatedAt,
    };
    const { resource: facts } = await snapshotColumnsOf(app.sealer, row, snapshot);
    await tx
      .insertInto('provider_resources')
      .values({ ...row, ...facts })
      .execute();
  }
  await invalidateBalance(tx, subject.user_id);
}

/** The times that the app had recorded: adopted rows carry the provider's time. */
export const asOf = (app: App, at: Date): App => ({ ...app, clock: { now: () => at } });
