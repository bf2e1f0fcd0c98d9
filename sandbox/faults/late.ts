// Requests that are received late. They are stored as rows, so that a restart does not lose them, and handled without an answer
// when they are due.

import type { SandboxContext } from '../context.ts';
import { perform } from '../provider/index.ts';
import type { Call, Reply } from '../provider/operation.ts';
import type { Loop } from '../settle.ts';
import type { LateRequestRow } from '../store/rows.ts';
import { isoTime, isoTimeOrNull } from '../time.ts';
import { createTimer } from '../timer.ts';
import { type Occurrence, partOf, recordInjected, subjectOf } from './occurrence.ts';
import { maybeForgetHandle } from './twins.ts';

const RETRY_MS = 5000;

/** Stores the call. It gets no answer. */
export function postpone(context: SandboxContext, call: Call, occurrence: Occurrence): void {
  const lateMs = partOf(context, occurrence, 'lateMs');
  const { operation, params, query, body } = call;
  const sent_at = context.now();
  const due_at = sent_at + lateMs;
  const fault_id = recordInjected(context, 'receivedLate', subjectOf(call), { operation, lateMs });
  const request = JSON.stringify({ params, query, body });
  context.store.insert('late_requests', { fault_id, operation, request, sent_at, due_at });
  context.wake.lateRequests(due_at);
}

/** Creates the loop that receives late requests. `context` is a function, because the context contains this loop's timer. */
export function createLateRequests(now: () => number, context: () => SandboxContext): Loop {
  const timer = createTimer(now, () => run(context()));

  function run(current: SandboxContext): void {
    const sql = 'select * from late_requests where received_at is null order by due_at, id';
    const due = current.store.all<LateRequestRow>(sql).filter(({ due_at }) => due_at <= now());
    for (const row of due) receive(current, row);
    const next = current.store.get<LateRequestRow>(`${sql} limit 1`);
    if (next) timer.at(next.due_at);
  }

  return { wake: (dueAt) => timer.at(dueAt), stop: () => timer.stop() };
}

/** Handles a late request. A fault of the sandbox is retried later. */
function receive(context: SandboxContext, row: LateRequestRow): void {
  try {
    const call = { ...JSON.parse(row.request), operation: row.operation, path: '' } as Call;
    context.store.transaction(() => maybeForgetHandle(context, call));
    const reply = perform(context, call);
    context.store.transaction(() => conclude(context, row, reply));
  } catch (error) {
    context.options.log(`sandbox: the late ${row.operation} ${row.id} failed: ${String(error)}`);
    context.store.run('update late_requests set due_at = ? where id = ?', context.now() + RETRY_MS, row.id);
  }
}

function conclude(context: SandboxContext, { id, fault_id }: LateRequestRow, { status, body }: Reply): void {
  const sql = 'update late_requests set received_at = ?, status = ?, reply = ? where id = ?';
  context.store.run(sql, context.now(), status, JSON.stringify(body), id);
  const { uuid } = body as { uuid?: string };
  if (uuid !== undefined) context.faultInjection.name(fault_id, uuid);
}

/**
 * Makes the late requests that contain the text due now.
 * @returns how many there are.
 */
export function receiveNow(context: SandboxContext, text: string): number {
  const { changes } = context.store.run(
    'update late_requests set due_at = min(due_at, ?) where received_at is null and instr(request, ?) > 0',
    context.now(),
    text,
  );
  context.wake.lateRequests(context.now());
  return changes;
}

/** Lists all late requests, oldest first, as the control shows them. */
export function lateRequests({ store }: SandboxContext) {
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
