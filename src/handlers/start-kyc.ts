// POST /kyc/start: begins the verification once and answers with the page where the person goes through it.
import { type Handler, ok, type UserRow } from '../api/operation.ts';
import type { App } from '../app.ts';
import { lockUser } from '../balance/reserve.ts';
import { handleFor } from '../domain/handles.ts';
import { place } from '../effects/place.ts';
import { begin } from '../lifecycle/advance.ts';
import { kyc } from '../lifecycle/kyc.ts';
import { observe } from '../lifecycle/observe.ts';
import { ProviderUnknown } from '../provider/errors.ts';
import { kycOf } from '../queries/wallet.ts';

export const startKyc: Handler<'startKyc'> = async ({ user, requestId }, app) => {
  const handle = handleFor(user.id, 'owner');
  const state = await beginOnce(app, user, handle, requestId);
  if (state !== 'pending') return ok(concluded(state));

  // The one upstream write inside a request: it must answer an address. Its handle makes repeating it safe.
  const placed = await place(0, {
    find: () => app.provider.findOwner(handle),
    create: () => app.provider.createOwner({ handle }),
  });
  if ('refusal' in placed) throw new ProviderUnknown('createOwner', `refused with ${placed.refusal}`);
  await observe(app, placed.snapshot, { kind: 'request', id: requestId });
  const { status, verificationUrl, verificationUrlExpiresAt } = placed.snapshot;
  if (status !== 'pending') return ok(concluded(status));
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

/** Commits the verification and the name of its owner before the provider hears of it. */
async function beginOnce(app: App, user: UserRow, handle: string, requestId: string): Promise<string> {
  const existing = await kycOf(app.db, user.id);
  if (existing) return existing.state;
  return app.db.transaction().execute(async (tx) => {
    await lockUser(tx, user.id);
    const raced = await kycOf(tx, user.id);
    if (raced) return raced.state;
    const now = app.clock.now();
    const row = {
      id: user.id,
      user_id: user.id,
      level: null,
      identity_sealed: null,
      completed_at: null,
      created_at: now,
    };
    const begun = await begin(tx, kyc, row, undefined, { kind: 'request', id: requestId }, now);
    await tx
      .insertInto('provider_resources')
      .values({
        handle,
        kind: 'owner',
        user_id: user.id,
        subject_kind: 'kyc',
        subject_id: user.id,
        created_at: now,
      })
      .execute();
    return begun.state;
  });
}
