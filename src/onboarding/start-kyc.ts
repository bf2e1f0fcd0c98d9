// POST /kyc/start: begins the verification once and returns the URL of the provider's page.

import { type Handler, ok } from '../api/operation.ts';
import { isSafeToOpen } from '../domain/address.ts';
import { handleFor } from '../domain/handles.ts';
import { createOrAdopt } from '../effects/create-or-adopt.ts';
import { OutcomeUnknown } from '../provider/errors.ts';
import type { Provider } from '../provider/port.ts';
import { type ApplyServices, applyReported } from '../reports/apply-reported.ts';
import { beginKyc } from './begin-kyc.ts';

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
