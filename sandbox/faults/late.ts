// Requests that are received late. They are stored as rows, so that a restart does not lose them, and handled when they are due.
import type { Call, Reply } from '../provider/operation.ts';
import type { LateRequestRow } from '../store/rows.ts';
import { isoTime, isoTimeOrNull } from '../time.ts';
import type { World } from '../world.ts';
import { CATALOGUE } from './catalogue.ts';
import { recordInjected, shouldInject, subjectOf } from './occurrence.ts';

/**
 * Postpones the call if the fault is injected.
 * @returns whether it did. A postponed call gets no answer.
 */
export function isPostponed(world: World, call: Call): boolean {
  if (!CATALOGUE.receivedLate.operations.includes(call.operation)) return false;
  const occurrence = shouldInject(world, 'receivedLate', call);
  if (!occurrence) return false;
  const { lateMs: mostMs } = world.faultInjection.configuration().provider;
  const lateMs = Number(occurrence.details['lateMs'] ?? Math.ceil(occurrence.how * mostMs));
  const { operation, params, query, body } = call;
  const now = world.now();
  const faultId = recordInjected(world, 'receivedLate', subjectOf(call), { operation, lateMs });
  world.store.run(
    'insert into late_requests (fault_id, operation, request, sent_at, due_at) values (?, ?, ?, ?, ?)',
    faultId,
    operation,
    JSON.stringify({ params, query, body }),
    now,
    now + lateMs,
  );
  world.wake.lateRequests(now + lateMs);
  return true;
}

/**
 * Makes the late requests that contain the text due now.
 * @returns how many there are.
 */
export function receiveNow(world: World, text: string): number {
  const { changes } = world.store.run(
    'update late_requests set due_at = min(due_at, ?) where received_at is null and instr(request, ?) > 0',
    world.now(),
    text,
  );
  world.wake.lateRequests(world.now());
  return changes;
}

/** Stores the result of a late request. Call it in the transaction of the request's work, if the work was done. */
export function conclude(world: World, row: LateRequestRow, { status, body }: Reply): void {
  world.store.run(
    'update late_requests set received_at = ?, status = ?, reply = ? where id = ?',
    world.now(),
    status,
    JSON.stringify(body),
    row.id,
  );
  const { uuid } = body as { uuid?: string };
  if (uuid !== undefined) world.faultInjection.injected.name(row.fault_id, uuid);
}

/** Lists all late requests, oldest first, as the control shows them. */
export function lateRequests({ store }: World) {
  return store.all<LateRequestRow>('select * from late_requests order by id').map((row) => ({
    operation: row.operation,
    request: JSON.parse(row.request) as object,
    sent_at: isoTime(row.sent_at),
    due_at: isoTime(row.due_at),
    received_at: isoTimeOrNull(row.received_at),
    status: row.status,
    reply: row.reply === null ? null : (JSON.parse(row.reply) as object),
  }));
}
