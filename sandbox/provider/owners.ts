// Owners: people, who are verified on a hosted page.
import { v4 as uuidv4 } from 'uuid';
import type { SandboxContext } from '../context.ts';
import { type VerificationFailure, verificationFailure, verificationOutcome } from '../magic.ts';
import { cancelPlanned, schedule } from '../schedule.ts';
import type { OwnerRow } from '../store/rows.ts';
import { isoTime, isoTimeOrNull } from '../time.ts';
import type { Operation } from './handler.ts';
import { newUuid } from './new-uuid.ts';
import { created, idOf, ok, type Schemas } from './operation.ts';
import { refuse } from './refusal.ts';
import { byHandle, change, contentOf, create, existing, repeated, setCallbackUrl } from './resources.ts';

const VERIFICATION_PAGE_MS = 3_600_000;

export const createOwner: Operation<Schemas['OwnerCreate']> = (context, call) => {
  const { external_id, callback_url = null } = call.body;
  const content = contentOf(call.body);
  const earlier = repeated(context, 'owners', external_id, content);
  if (earlier?.status === 'PENDING')
    return ok(
      presentOwner(context, change(context, 'owners', earlier, openVerification(context, earlier.uuid))),
    );
  if (earlier) return ok(presentOwner(context, earlier));
  const uuid = newUuid();
  const values = {
    external_id,
    content,
    status: 'PENDING',
    callback_url,
    updated_at: context.now(),
  } as const;
  const row = { uuid, ...values, ...openVerification(context, uuid) };
  return created(presentOwner(context, create(context, 'owners', row, { call })));
};

export const getOwner: Operation = (context, call) =>
  ok(presentOwner(context, existing(context, 'owners', idOf(call))));

export const findOwners: Operation = (context, call) => {
  const rows = byHandle(context, 'owners', call.query.external_id ?? '');
  return ok({ results: rows.map((row) => presentOwner(context, row)) });
};

export const updateOwner: Operation<Schemas['CallbackUpdate']> = (context, call) =>
  ok(presentOwner(context, setCallbackUrl(context, 'owners', idOf(call), call.body)));

/** Begins the next attempt of a failed verification: the hosted page asks for everything again, at a new address. */
export const restartOwner: Operation<Schemas['OwnerRestart']> = (context, call) => {
  const row = existing(context, 'owners', idOf(call));
  const { external_id, attempt } = call.body;
  if (external_id !== row.external_id)
    throw refuse('origin_id_conflict', 'external_id is not that of the owner');
  if (attempt <= row.attempt) return ok(presentOwner(context, row));
  if (row.status !== 'FAILED') throw refuse('rejected', 'only a failed verification can be tried again', 409);
  if (attempt > row.attempt + 1) throw refuse('invalid_request', `attempt ${row.attempt + 1} comes first`);

  context.store.run('delete from verifications where owner_uuid = ?', row.uuid);
  const again = { status: 'PENDING', attempt, failure_code: null, full_name: null, email: null } as const;
  const restarted = change(context, 'owners', row, { ...again, ...openVerification(context, row.uuid) });
  return ok(presentOwner(context, restarted));
};

/** Stores the data of the hosted page. The name decides the outcome, a little later. */
export function submitVerification(
  context: SandboxContext,
  row: OwnerRow,
  { fullName, email }: { fullName: string; email: string },
): void {
  const { settleMs, slowMs } = context.options;
  const outcome = verificationOutcome(fullName);
  change(context, 'owners', row, { full_name: fullName, email });
  const delayMs = outcome === 'slow' ? slowMs : settleMs;
  const { attempt } = row;
  const failureCode = verificationFailure(outcome, attempt);
  const ends = (afterMs: number, step: Omit<VerificationStep, 'attempt'>) =>
    schedule(context, afterMs, 'verify', row.uuid, { ...step, attempt });
  if (failureCode === null) return ends(delayMs, { status: 'COMPLETED' });
  ends(delayMs, { status: 'FAILED', failureCode });
  if (outcome === 'appeals') ends(delayMs + 5 * settleMs + 1, { status: 'COMPLETED' });
}

/** The end of an attempt. A tester ends the current one. */
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
  context: SandboxContext,
  uuid: string,
  { status, attempt, failureCode }: VerificationStep,
): OwnerRow {
  const row = existing(context, 'owners', uuid);
  const ended = attempt ?? row.attempt;
  if (row.status === 'COMPLETED' || row.status === status) return row;
  if (status === 'FAILED' && ended < row.attempt) return row;
  const end =
    status === 'COMPLETED'
      ? ({ status, level: 'STANDARD', completed_at: context.now(), failure_code: null } as const)
      : { status, level: null, completed_at: null, failure_code: failureCode ?? 'other' };
  const closed = { verification_token: null, verification_expires_at: null };
  return change(context, 'owners', row, { ...end, attempt: ended, ...closed });
}

/**
 * Ends a verification as a tester decides, instead of as planned.
 * @throws 409 if it has already ended this way, 404 if there is none.
 */
export function endVerification(
  context: SandboxContext,
  uuid: string,
  step: Omit<VerificationStep, 'attempt'>,
  person: { fullName: string; email: string },
): Schemas['Owner'] {
  const row = existing(context, 'owners', uuid);
  if (row.status === 'COMPLETED')
    throw refuse('rejected', 'the verification is COMPLETED: that is final', 409);
  if (row.status === step.status)
    throw refuse(
      'rejected',
      'the verification is FAILED: it can be completed, or tried again by the client',
      409,
    );
  cancelPlanned(context, uuid);
  // A verified person has a name, even if the hosted page was never filled in.
  if (row.full_name === null)
    context.store.update('owners', uuid, { full_name: person.fullName, email: person.email });
  return presentOwner(context, settleVerification(context, uuid, step));
}

function openVerification(context: SandboxContext, owner_uuid: string) {
  const token = uuidv4();
  const expires_at = context.now() + VERIFICATION_PAGE_MS;
  context.store.insert('verifications', { token, owner_uuid, expires_at });
  return { verification_token: token, verification_expires_at: expires_at };
}

export function presentOwner(context: SandboxContext, row: OwnerRow): Schemas['Owner'] {
  return {
    uuid: row.uuid,
    external_id: row.external_id,
    status: row.status,
    level: row.level,
    verification_url: row.verification_token && `${context.baseUrl}/verify/${row.verification_token}`,
    verification_url_expires_at: isoTimeOrNull(row.verification_expires_at),
    full_name: row.full_name,
    email: row.email,
    completed_at: isoTimeOrNull(row.completed_at),
    attempt: row.attempt,
    failure_code: row.failure_code,
    updated_at: isoTime(row.updated_at),
  };
}
