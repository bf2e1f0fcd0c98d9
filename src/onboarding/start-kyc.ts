// POST /kyc/start: begins the verification once and returns the URL of the provider's page.

import { type Handler, ok, type Reply } from '../api/operation.ts';
import { isSafeToOpen } from '../domain/address.ts';
import type { Clock } from '../domain/clock.ts';
import { handleFor } from '../domain/handles.ts';
import { begin } from '../lifecycle/advance.ts';
import { kyc } from '../lifecycle/kyc.ts';
import { type Committing, transaction } from '../outbox/hand-off.ts';
import { createOrAdopt } from '../provider/create-or-adopt.ts';
import { OutcomeUnknown } from '../provider/errors.ts';
import type { OwnerSnapshot, Provider } from '../provider/port.ts';
import { type ApplyServices, applyReported } from '../reports/apply-reported.ts';
import { findKyc } from '../tables/kyc-verifications/statements.ts';
import { insertResource } from '../tables/provider-resources/statements.ts';
import type { Entity } from '../tables/rows.ts';
import type { Cause } from '../tables/transitions/entity.ts';
import { lockUser } from '../tables/users/lock-user.ts';

type Services = ApplyServices & {
  provider: Provider<'interactive'>;
  config: { verificationHosts: string[] };
};

export const startKyc: Handler<'startKyc', Services> = async ({ user, requestId }, services) => {
  const handle = handleFor(user.id, 'owner');
  const cause = { kind: 'request', id: requestId } as const;
  const state = await beginKyc(services, user.id, handle, cause);
  if (state !== 'pending') return ok(concluded(state));
  return openHostedPage(services, handle, cause);
};

/** Returns the URL of the hosted page of a pending verification. The handle makes the call safe to repeat. */
export async function openHostedPage(
  services: Services,
  handle: string,
  cause: Cause,
): Promise<Reply<'startKyc'>> {
  // Only this request and a restart write to the provider before they respond, because the response must contain the URL.
  const placed = await createOrAdopt({
    find: () => services.provider.findOwner(handle),
    create: () => services.provider.createOwner({ handle }),
  });
  if ('refusal' in placed) throw new OutcomeUnknown('createOwner', `refused with ${placed.refusal}`);
  await applyReported(services, placed.snapshot, cause);
  return replyFrom(placed.snapshot, services.config);
}

/** @throws OutcomeUnknown if the URL of the hosted page is not safe to open. */
export function replyFrom(
  { status, verificationUrl, verificationUrlExpiresAt }: OwnerSnapshot,
  { verificationHosts }: { verificationHosts: string[] },
): Reply<'startKyc'> {
  if (status !== 'pending') return ok(concluded(status));
  // The app opens the URL, and a URL can also start a program.
  if (verificationUrl !== null && !isSafeToOpen(verificationUrl, verificationHosts))
    throw new OutcomeUnknown('hosted page', 'its URL is not safe to open');
  return ok({
    verificationUrl,
    expiresAt: verificationUrlExpiresAt?.toISOString() ?? null,
    status: 'pending',
  });
}

const concluded = (status: string) => ({
  verificationUrl: null,
  expiresAt: null,
  status: status as 'completed' | 'failed',
});

/** Returns the state of the user's verification, which may have begun earlier. */
export async function beginKyc(
  { db, outbox, clock }: Committing & { clock: Clock },
  userId: string,
  handle: string,
  cause: Cause,
): Promise<Entity<'KycVerification'>['state']> {
  const existing = await findKyc(db, { userId });
  if (existing) return existing.state;
  return transaction({ db, outbox }, async (tx) => {
    await lockUser(tx, userId);
    const raced = await findKyc(tx, { userId });
    if (raced) return raced.state;
    const now = clock.now();
    const row = {
      id: userId,
      userId,
      level: null,
      attempt: 1,
      failureCode: null,
      identitySealed: null,
      identitySealedAt: null,
      completedAt: null,
      createdAt: now,
    };
    const begun = await begin(tx, kyc, row, undefined, cause, now);
    await insertResource(tx, {
      handle,
      kind: 'owner',
      leg: null,
      userId,
      subjectKind: 'kyc',
      subjectId: userId,
      traceparent: null,
      createdAt: now,
    });
    return begun.state;
  });
}
