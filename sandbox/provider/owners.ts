// Owners: people, who are verified on a hosted page.
import { v4 as uuidv4 } from 'uuid';
import { changedAt, createdAt } from '../faults/changes.ts';
import { shownTime } from '../faults/provider-clock.ts';
import { shownAll, shownOne } from '../faults/reads.ts';
import { reported } from '../faults/reports.ts';
import { recordTwin } from '../faults/twins.ts';
import { isFindable } from '../faults/vanished.ts';
import { type VerificationFailure, verificationFailure, verificationOutcome } from '../magic.ts';
import { cancelPlanned, schedule } from '../schedule.ts';
import type { OwnerRow } from '../store/rows.ts';
import { isoTime, isoTimeOrNull } from '../time.ts';
import type { World } from '../world.ts';
import { setCallbackUrl } from './callbacks.ts';
import { contentOf, judgeHandle } from './handles.ts';
import { newUuid } from './new-uuid.ts';
import { type Call, created, idOf, type Operation, ok, type Schemas } from './operation.ts';
import { refuse } from './refusal.ts';

const VERIFICATION_PAGE_MS = 3_600_000;

export const createOwner: Operation<Schemas['OwnerCreate']> = (world, call) => {
  const { body } = call;
  const content = contentOf(body);
  const { known, twinOf } = judgeHandle(world, call, byHandle(world, body.external_id)[0], content);
  if (known) {
    if (known.status === 'PENDING') openVerification(world, known.uuid, changedAt(world, known));
    return ok(present(world, owner(world, known.uuid)));
  }
  const uuid = newUuid();
  const stamp = createdAt(world, call, uuid);
  world.store.run(
    `insert into owners (uuid, external_id, content, status, callback_url, updated_at) values (?, ?, ?, 'PENDING', ?, ?)`,
    uuid,
    body.external_id,
    content,
    body.callback_url ?? null,
    stamp,
  );
  openVerification(world, uuid, stamp);
  if (twinOf) recordTwin(world, call, uuid, twinOf.uuid);
  return created(present(world, owner(world, uuid)));
};

export const getOwner: Operation = (world, call) =>
  ok(present(world, shownOne(world, call, owner(world, idOf(call)))));

export const findOwners: Operation = (world, call) => {
  const rows = shownAll(world, call, byHandle(world, call.query.external_id ?? '')).filter((row) =>
    isFindable(world, row),
  );
  return ok({ results: rows.map((row) => present(world, row)) });
};

export const updateOwner: Operation<Schemas['CallbackUpdate']> = (world, call) => {
  setCallbackUrl(world, 'owners', owner(world, idOf(call)), call.body);
  return getOwner(world, call as Call<never>);
};

/** Begins the next attempt of a failed verification: the hosted page asks for everything again, at a new address. */
export const restartOwner: Operation<Schemas['OwnerRestart']> = (world, call) => {
  const row = owner(world, idOf(call));
  const { external_id, attempt } = call.body;
  if (external_id !== row.external_id)
    throw refuse('origin_id_conflict', 'external_id is not that of the owner');
  if (attempt <= row.attempt) return ok(present(world, row));
  if (row.status !== 'FAILED') throw refuse('rejected', 'only a failed verification can be tried again', 409);
  if (attempt > row.attempt + 1) throw refuse('invalid_request', `attempt ${row.attempt + 1} comes first`);

  const stamp = changedAt(world, row);
  world.store.run('delete from verifications where owner_uuid = ?', row.uuid);
  world.store.run(
    `update owners set status = 'PENDING', attempt = ?, failure_code = null, full_name = null, email = null where uuid = ?`,
    attempt,
    row.uuid,
  );
  openVerification(world, row.uuid, stamp);
  return ok(present(world, owner(world, row.uuid)));
};

/**
 * Returns the owner.
 * @throws 404 if there is none.
 */
export function owner(world: World, uuid: string): OwnerRow {
  const row = world.store.get<OwnerRow>('select * from owners where uuid = ?', uuid);
  if (!row) throw refuse('not_found', 'no such owner');
  return row;
}

/** Stores the data of the hosted page. The name decides the outcome, a little later. */
export function submitVerification(
  world: World,
  row: OwnerRow,
  person: { fullName: string; email: string },
): void {
  const { settleMs, slowMs } = world.options;
  const outcome = verificationOutcome(person.fullName);
  world.store.run(
    'update owners set full_name = ?, email = ?, updated_at = ? where uuid = ?',
    person.fullName,
    person.email,
    changedAt(world, row),
    row.uuid,
  );
  const delayMs = outcome === 'slow' ? slowMs : settleMs;
  const { attempt } = row;
  const failureCode = verificationFailure(outcome, attempt);
  const ends = (afterMs: number, step: Omit<VerificationStep, 'attempt'>) =>
    schedule(world, afterMs, 'verify', row.uuid, { ...step, attempt });
  if (failureCode === null) return ends(delayMs, { status: 'COMPLETED' });
  ends(delayMs, { status: 'FAILED', failureCode });
  if (outcome === 'appeals') ends(delayMs + 5 * settleMs + 1, { status: 'COMPLETED' });
}

/** The end of an attempt. A step that a former version planned has no attempt. */
export interface VerificationStep {
  status: 'COMPLETED' | 'FAILED';
  attempt?: number;
  failureCode?: VerificationFailure;
}

/**
 * Ends a verification. A completed verification is final. A failed one may still be completed, also after another attempt has begun:
 * the approved attempt is then the last one.
 */
export function settleVerification(
  world: World,
  uuid: string,
  { status, attempt, failureCode }: VerificationStep,
): void {
  const row = owner(world, uuid);
  const ended = attempt ?? row.attempt;
  if (row.status === 'COMPLETED' || row.status === status) return;
  if (status === 'FAILED' && ended < row.attempt) return;
  const stamp = changedAt(world, row);
  world.store.run(
    `update owners set status = ?, level = ?, completed_at = ?, attempt = ?, failure_code = ?, verification_token = null,
     verification_expires_at = null, updated_at = ? where uuid = ?`,
    status,
    status === 'COMPLETED' ? 'STANDARD' : null,
    status === 'COMPLETED' ? stamp : null,
    ended,
    status === 'FAILED' ? (failureCode ?? 'other') : null,
    stamp,
    uuid,
  );
}

/**
 * Ends a verification as a tester decides, instead of as planned.
 * @throws 409 if it has already ended this way, 404 if there is none.
 */
export function endVerification(
  world: World,
  uuid: string,
  step: Omit<VerificationStep, 'attempt'>,
  person: { fullName: string; email: string },
): Schemas['Owner'] {
  const row = owner(world, uuid);
  if (row.status === 'COMPLETED')
    throw refuse('rejected', 'the verification is COMPLETED: that is final', 409);
  if (row.status === step.status)
    throw refuse(
      'rejected',
      'the verification is FAILED: it can be completed, or tried again by the client',
      409,
    );
  cancelPlanned(world, uuid);
  // A verified person has a name, even if the hosted page was never filled in.
  if (row.full_name === null)
    world.store.run(
      'update owners set full_name = ?, email = ? where uuid = ?',
      person.fullName,
      person.email,
      uuid,
    );
  settleVerification(world, uuid, step);
  return present(world, owner(world, uuid));
}

function openVerification(world: World, uuid: string, stamp: number): void {
  const token = uuidv4();
  const expiresAt = world.now() + VERIFICATION_PAGE_MS;
  world.store.run(
    'insert into verifications (token, owner_uuid, expires_at) values (?, ?, ?)',
    token,
    uuid,
    expiresAt,
  );
  world.store.run(
    'update owners set verification_token = ?, verification_expires_at = ?, updated_at = ? where uuid = ?',
    token,
    expiresAt,
    stamp,
    uuid,
  );
}

/** Returns the owners under a handle. The first one is the original; every other one is its twin. */
function byHandle(world: World, handle: string): OwnerRow[] {
  return world.store.all<OwnerRow>('select * from owners where external_id = ? order by seq', handle);
}

function present(world: World, row: OwnerRow): Schemas['Owner'] {
  return reported(world, {
    uuid: row.uuid,
    external_id: row.external_id,
    status: row.status,
    level: row.level,
    verification_url: row.verification_token && `${world.baseUrl}/verify/${row.verification_token}`,
    verification_url_expires_at: isoTimeOrNull(
      row.verification_expires_at && shownTime(world, row.verification_expires_at),
    ),
    full_name: row.full_name,
    email: row.email,
    completed_at: isoTimeOrNull(row.completed_at),
    attempt: row.attempt,
    failure_code: row.failure_code,
    updated_at: isoTime(row.updated_at),
  });
}
