// GET /kyc/status: asks the provider until the verification is decided. Afterwards it returns the stored decision.

import { fetchResource } from '../provider/fetch.ts';
import { applyReported } from '../reports/apply-reported.ts';
import { findKyc } from '../platform/sql/kyc-verifications.ts';
import { listAccounts } from '../platform/sql/provider-accounts.ts';
import { findOwner } from '../platform/sql/provider-resources.ts';
import { type Handler, ok } from '../api/operation.ts';

export const getKycStatus: Handler<'getKycStatus'> = async ({ user, requestId }, app) => {
  let kyc = await findKyc(app.db, { userId: user.id });
  if (kyc?.state === 'pending') {
    const owner = await findOwner(app.db, { kycId: kyc.id, userId: user.id });
    if (!owner) throw new Error(`the verification ${kyc.id} has no owner`);
    const snapshot = await fetchResource(app.provider, owner);
    if (snapshot) {
      await applyReported(app, snapshot, { kind: 'request', id: requestId });
      kyc = await findKyc(app.db, { userId: user.id });
    }
  }
  const accounts = await listAccounts(app.db, { userId: user.id });
  return ok({
    status: kyc?.state ?? 'pending',
    level: kyc?.level ?? null,
    hasActiveAccount: accounts.some(
      ({ currency, state }) => currency === user.homeCurrency && state === 'active',
    ),
  });
};
