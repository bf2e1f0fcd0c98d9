// POST /kyc/start: begins the verification once and returns the URL of the provider's page.

import type { StateOf } from '../../machines/machines.ts';
import { type Handler, ok } from '../api/operation.ts';
import { isSafeToOpen } from '../domain/address.ts';
import type { Clock } from '../domain/clock.ts';
import { handleFor } from '../domain/handles.ts';
import { createOrAdopt } from '../effects/create-or-adopt.ts';
import { lockUser } from '../ledger/reserve.ts';
import { begin } from '../lifecycle/advance.ts';
import { kyc } from '../lifecycle/kyc.ts';
import type { Cause } from '../lifecycle/lifecycle.ts';
import { type Committing, transaction } from '../outbox/hand-off.ts';
import { findKyc } from '../platform/sql/kyc-verifications.ts';
import { insertResource } from '../platform/sql/provider-resources.ts';
import { OutcomeUnknown } from '../provider/errors.ts';
import type { Provider } from '../provider/port.ts';
import { type ApplyServices, applyReported } from '../reports/apply-reported.ts';

export const startKyc: Handler<'startKyc', ApplyServices & { provider: Provider }> = async (
  { user, requestId },
  services,
) => {
  const handle = handleFor(user.id, 'owner');
  const cause = { kind: 'request', id: requestId } as const;
  const state = await beginKyc(services, user.id, handle, cause);
  if (state !== 'pending') return ok(concluded(state));

  // The only write to the provider within a request, because the response must contain the URL. The handle makes it safe to repeat.
  const placed = await createOrAdopt({
    find: () => services.provider.findOwner(handle),
    create: () => services.provider.createOwner({ handle }),
  });
  if ('refusal' in placed) throw new OutcomeUnknown('createOwner', `refused with ${placed.refusal}`);
  await applyReported(services, placed.snapshot, cause);
  const { status, verificationUrl, verificationUrlExpiresAt } = placed.snapshot;
  if (status !== 'pending') return ok(concluded(status));
  // The app opens the URL, and a URL can also start a program.
  if (verificationUrl !== null && !isSafeToOpen(verificationUrl, services.config.verificationHosts))
    throw new OutcomeUnknown('createOwner', 'the URL of its page is not safe to open');
  return ok({
    verificationUrl,
    expiresAt: verificationUrlExpiresAt?.toISOString() ?? null,
    status: 'pending',
  });
};

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
): Promise<StateOf<'kyc'>> {
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
      createdAt: now,
    });
    return begun.state;
  });
}
