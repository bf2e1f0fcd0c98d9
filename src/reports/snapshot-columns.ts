// Seals the personal data of a snapshot (the identity, the deposit instructions, the reason of a failure) before it is written.

import type { Snapshot } from '../provider/port.ts';
import { encryptionContexts } from '../security/encryption-contexts.ts';
import type { Sealer } from '../security/sealer.ts';
import { accountNumberOf } from '../security/search-hashes.ts';
import { setIdentity } from '../tables/kyc-verifications/statements.ts';
import type { Db } from '../tables/orm.ts';
import { setAccountRef, setDepositInstructions } from '../tables/provider-accounts/statements.ts';
import type { Entity } from '../tables/rows.ts';

export type SnapshotColumns = {
  /** Writes properties of the subject's row, but not its state, which only `advance` writes. Null if there is nothing to write. */
  writeSubject: ((tx: Db) => Promise<unknown>) | null;
  /** Columns of the resource's row. Null leaves a column unchanged. */
  resource: Pick<Entity<'ProviderResource'>, 'reasonSealed' | 'reasonSealedAt'>;
};

const NOTHING: SnapshotColumns = {
  writeSubject: null,
  resource: { reasonSealed: null, reasonSealedAt: null },
};

/**
 * Seals the personal data of a snapshot.
 * @param now the time of sealing, which is also the version that the sealed values are bound to.
 * @throws UserErased if the user has no row.
 */
export async function snapshotColumnsOf(
  sealer: Sealer,
  resource: Pick<Entity<'ProviderResource'>, 'userId' | 'subjectId' | 'handle'>,
  snapshot: Snapshot,
  now: Date,
): Promise<SnapshotColumns> {
  const { userId, subjectId: id, handle } = resource;
  switch (snapshot.kind) {
    case 'owner': {
      const { status, fullName, email, completedAt, updatedAt } = snapshot;
      if (status !== 'completed') return NOTHING;
      const text = JSON.stringify({ fullName, email });
      const identity = {
        identitySealed: await sealer.seal(encryptionContexts.identity(userId, id, now), text),
        identitySealedAt: now,
        completedAt: completedAt ?? updatedAt,
      };
      return { ...NOTHING, writeSubject: (tx) => setIdentity(tx, { id, userId, ...identity }) };
    }
    case 'account': {
      const { depositInstructions, providerRef: providerAccountId } = snapshot;
      const account = { id, userId, providerAccountId };
      if (!depositInstructions) return { ...NOTHING, writeSubject: (tx) => setAccountRef(tx, account) };
      const context = encryptionContexts.depositInstructions(userId, id, now);
      const instructions = {
        depositInstructionsSealed: await sealer.seal(context, JSON.stringify(depositInstructions)),
        depositInstructionsSealedAt: now,
        depositHash: sealer.search.hashOf('account', accountNumberOf(depositInstructions)),
      };
      return {
        ...NOTHING,
        writeSubject: (tx) => setDepositInstructions(tx, { ...account, ...instructions }),
      };
    }
    case 'contestation':
      return NOTHING;
    case 'transfer':
    case 'payout': {
      const { failureReason } = snapshot;
      if (failureReason === null) return NOTHING;
      const context = encryptionContexts.providerReason(userId, handle, now);
      const reasonSealed = await sealer.seal(context, failureReason);
      return { ...NOTHING, resource: { reasonSealed, reasonSealedAt: now } };
    }
  }
}
