// GET /kyc/status: asks the provider until the verification is decided. Afterwards it returns the stored decision.

import { type Handler, ok } from '../api/operation.ts';
import { fetchResource } from '../provider/fetch.ts';
import type { Provider } from '../provider/port.ts';
import { type ApplyServices, applyReported } from '../reports/apply-reported.ts';
import { findKyc } from '../tables/kyc-verifications/statements.ts';
import { listAccounts } from '../tables/provider-accounts/statements.ts';
import { findOwner } from '../tables/provider-resources/statements.ts';

export const getKycStatus: Handler<
  'getKycStatus',
  ApplyServices & { provider: Provider<'interactive'> }
> = async ({ user, requestId }, services) => {
  let kyc = await findKyc(services.db, { userId: user.id });
  if (kyc?.state === 'pending') {
    const owner = await findOwner(services.db, { kycId: kyc.id, userId: user.id });
    if (!owner) throw new Error(`the verification ${kyc.id} has no owner`);
    const snapshot = await fetchResource(services.provider, { ...owner, kind: 'owner' });
    if (snapshot) {
      await applyReported(services, snapshot, { kind: 'request', id: requestId });
      kyc = await findKyc(services.db, { userId: user.id });
    }
  }
  const accounts = await listAccounts(services.db, { userId: user.id });
  return ok({
    status: kyc?.state ?? 'pending',
    level: kyc?.level ?? null,
    hasActiveAccount: accounts.some(
      ({ currency, state }) => currency === user.homeCurrency && state === 'active',
    ),
    startedAt: kyc?.createdAt.toISOString() ?? null,
    failureCode: kyc?.failureCode ?? null,
  });
};
