// Seals the personal data of a snapshot (the identity, the deposit instructions, the reason of a failure) before it is written.

import type { Entity } from '../platform/database/entities/rows.ts';
import type { Db } from '../platform/database/orm.ts';
import { encryptionContexts } from '../platform/security/encryption-contexts.ts';
import type { Sealer } from '../platform/security/sealer.ts';
import { setIdentity } from '../platform/sql/kyc-verifications.ts';
import { setAccountRef, setDepositInstructions } from '../platform/sql/provider-accounts.ts';
import type { Snapshot } from '../provider/port.ts';

export type SnapshotColumns = {
  /** Writes properties of the subject's row, but not its state, which only `advance` writes. Null if there is nothing to write. */
  writeSubject: ((tx: Db) => Promise<unknown>) | null;
  /** Columns of the resource's row. Null leaves a column unchanged. */
  resource: Pick<Entity<'ProviderResource'>, 'reasonSealed' | 'reasonSealedAt'>;
};

const NO_REASON: SnapshotColumns['resource'] = { reasonSealed: null, reasonSealedAt: null };

/**
 * Seals the personal data of a snapshot.
 * @param now the time of sealing, which is also the version that the sealed values are bound to.
 * @throws UserErased if the user has no row.
 */
export async function snapshotColumnsOf(
  sealer: Sealer,
  known: Pick<Entity<'ProviderResource'>, 'userId' | 'subjectId' | 'handle'>,
  snapshot: Snapshot,
  now: Date,
): Promise<SnapshotColumns> {
  const { userId, subjectId, handle } = known;
  const subject = { id: subjectId, userId };
  switch (snapshot.kind) {
    case 'owner': {
      if (snapshot.status !== 'completed') return { writeSubject: null, resource: NO_REASON };
      const text = JSON.stringify({ fullName: snapshot.fullName, email: snapshot.email });
      const identity = {
        identitySealed: await sealer.seal(encryptionContexts.identity(userId, subjectId, now), text),
        identitySealedAt: now,
        completedAt: snapshot.completedAt ?? snapshot.updatedAt,
      };
      return { writeSubject: (tx) => setIdentity(tx, { ...subject, ...identity }), resource: NO_REASON };
    }
    case 'account': {
      const { depositInstructions, providerRef: providerAccountId } = snapshot;
      if (!depositInstructions)
        return {
          writeSubject: (tx) => setAccountRef(tx, { ...subject, providerAccountId }),
          resource: NO_REASON,
        };
      const instructions = {
        depositInstructionsSealed: await sealer.seal(
          encryptionContexts.depositInstructions(userId, subjectId, now),
          JSON.stringify(depositInstructions),
        ),
        depositInstructionsSealedAt: now,
      };
      return {
        writeSubject: (tx) => setDepositInstructions(tx, { ...subject, providerAccountId, ...instructions }),
        resource: NO_REASON,
      };
    }
    case 'transfer':
    case 'payout': {
      const { failureReason } = snapshot;
      if (failureReason === null) return { writeSubject: null, resource: NO_REASON };
      return {
        writeSubject: null,
        resource: {
          reasonSealed: await sealer.seal(
            encryptionContexts.providerReason(userId, handle, now),
            failureReason,
          ),
          reasonSealedAt: now,
        },
      };
    }
  }
}
