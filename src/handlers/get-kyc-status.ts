// GET /kyc/status: until the verification is decided, the provider is asked; afterwards the stored decision is returned.

import { fetchResource } from '../provider/fetch.ts';
import { getOwner } from '../queries/provider-resources.ts';
import { accountsOf, kycOf } from '../queries/wallet.ts';
import { applyReported } from '../snapshots/apply-reported.ts';
import { type Handler, ok } from './operation.ts';

export const getKycStatus: Handler<'getKycStatus'> = async ({ user, requestId }, app) => {
  let kyc = await kycOf(app.db, user.id);
  if (kyc?.state === 'pending') {
    const snapshot = await fetchResource(app.provider, await getOwner(app.db, user.id, kyc.id));
    if (snapshot) {
      await applyReported(app, snapshot, { kind: 'request', id: requestId });
      kyc = await kycOf(app.db, user.id);
    }
  }
  const accounts = await accountsOf(app.db, user.id);
  return ok({
    status: kyc?.state ?? 'pending',
    level: kyc?.level ?? null,
    hasActiveAccount: accounts.some(
      ({ currency, state }) => currency === user.home_currency && state === 'active',
    ),
  });
};
