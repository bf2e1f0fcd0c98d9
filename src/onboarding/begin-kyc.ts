// Begins a verification, once for each user. The verification and the handle of its owner are committed
// before the provider is called.

import type { StateOf } from '../../machines/machines.ts';
import type { Clock } from '../domain/clock.ts';
import { lockUser } from '../ledger/reserve.ts';
import { begin } from '../lifecycle/advance.ts';
import { kyc } from '../lifecycle/kyc.ts';
import type { Cause } from '../lifecycle/lifecycle.ts';
import { type Committing, transaction } from '../outbox/hand-off.ts';
import { findKyc } from '../platform/sql/kyc-verifications.ts';
import { insertResource } from '../platform/sql/provider-resources.ts';

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
