// What must be answerable later is written down when it happens.
import { sql } from 'kysely';
import type { App } from '../app.ts';
import type { Db } from '../database/orm.ts';
import { newId } from '../domain/ids.ts';

type Audited = { action: string; userId: string; requestId: string };

export async function audit(app: App, { action, userId, requestId }: Audited): Promise<void> {
  await app.db
    .insertInto('audit_events')
    .values({
      id: newId(),
      at: app.clock.now(),
      action,
      user_id: userId,
      request_id: requestId,
      details: {},
    })
    .execute();
}

/** Who changes something, and why. */
export type By = { operator: string; reason: string };

/** What is kept of an operator's change. */
export type OperatorsRecord = By & { target: string };

/**
 * Records what an operator changes, in the transaction that changes it.
 * @param action what is done, as the command is called.
 * @param userId whose it is, where it is somebody's.
 */
export async function auditOperator(
  tx: Db,
  { action, userId, now, ...details }: OperatorsRecord & { action: string; userId: string | null; now: Date },
): Promise<void> {
  await tx
    .insertInto('audit_events')
    .values({
      id: newId(),
      at: now,
      action: `operator.${action}`,
      user_id: userId,
      request_id: null,
      details: sql`${JSON.stringify(details)}::jsonb`,
    })
    .execute();
}
