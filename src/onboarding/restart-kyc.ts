// POST /kyc/restart: begins the next attempt of a failed verification and returns the URL of the provider's page.

import type { Handler } from '../api/operation.ts';
import { Refusal } from '../domain/refusals.ts';
import { OutcomeUnknown } from '../provider/errors.ts';
import type { OwnerSnapshot, Provider } from '../provider/port.ts';
import { type NextAttempt, restartOwner } from '../provider/restart-owner.ts';
import { type ApplyServices, applyReported } from '../reports/apply-reported.ts';
import { resumePolling } from '../reports/polling.ts';
import { findKyc } from '../tables/kyc-verifications/statements.ts';
import { findOwner } from '../tables/provider-resources/statements.ts';
import type { Cause } from '../tables/transitions/entity.ts';
import { openHostedPage, replyFrom } from './start-kyc.ts';

type Services = ApplyServices & {
  provider: Provider<'interactive'>;
  config: { verificationHosts: string[] };
};

export const restartKyc: Handler<'restartKyc', Services> = async ({ user, requestId }, services) => {
  const kyc = await findKyc(services.db, { userId: user.id });
  if (!kyc) throw notRestartable('not started');
  const owner = await findOwner(services.db, { kycId: kyc.id, userId: user.id });
  if (!owner) throw new Error(`the verification ${kyc.id} has no owner`);
  const cause = { kind: 'request', id: requestId } as const;
  // The attempt has begun: the request repeats the one that began it.
  if (kyc.state === 'pending' && kyc.attempt > 1) return openHostedPage(services, owner.handle, cause);
  if (kyc.state !== 'failed') throw notRestartable(kyc.state);
  if (owner.providerRef === null) throw new Error(`the failed verification ${kyc.id} has no object`);

  const { handle, providerRef } = owner;
  const restarted = await beginAttempt(services, { providerRef, handle, attempt: kyc.attempt + 1 }, cause);
  return replyFrom(restarted, services.config);
};

/**
 * Begins an attempt at the provider, then commits it. If the answer or the commit is lost, a repeated request or a poll finds the
 * attempt. The polls of a failed verification may have ended, so they are resumed first.
 * @returns the owner, also if an earlier or concurrent request has begun the attempt.
 * @throws Refusal `not_restartable` if the provider allows no other attempt, or has no restarts.
 */
async function beginAttempt(services: Services, next: NextAttempt, cause: Cause): Promise<OwnerSnapshot> {
  await resumePolling(services.db, next.providerRef);
  const restarted = await restartOwner(services.provider, next);
  if (restarted === 'unsupported') throw notRestartable('failed');
  // The provider may refuse because it has approved the failed attempt, so the owner's state decides, not the refusal.
  const owner = restarted === 'rejected' ? await services.provider.getOwner(next.providerRef) : restarted;
  await applyReported(services, owner, cause);
  if (owner.status === 'completed' || owner.attempt >= next.attempt) return owner;
  if (restarted === 'rejected') throw notRestartable('failed');
  throw new OutcomeUnknown('restartOwner', 'the answer is about an earlier attempt');
}

const notRestartable = (state: string): Refusal =>
  new Refusal('not_restartable', [{ path: '/verification', message: state }]);
