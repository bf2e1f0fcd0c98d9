// What a snapshot carries beside its status, sealed and ready to be written: who the person is, where deposits go.
import { type RawBuilder, sql } from 'kysely';
import type { Entity } from '../entities/rows.ts';
import type { Snapshot } from '../provider/port.ts';
import { encryptionContexts } from '../sealing/encryption-contexts.ts';
import type { Sealer } from '../sealing/sealer.ts';

/** Properties of the row the resource belongs to: never its state, which is `advance`'s alone. */
export type SubjectProperties = {
  identitySealed?: Buffer;
  identitySealedAt?: Date;
  completedAt?: Date;
  providerAccountId?: string;
  depositInstructionsSealed?: RawBuilder<Buffer | null>;
  depositInstructionsSealedAt?: Date;
};

export type SnapshotColumns = {
  subject: SubjectProperties;
  /** Columns of the resource's own row. */
  resource: { reasonSealed?: Buffer; reasonSealedAt?: Date };
};

/** @param now when the values are sealed, which is the version that they are bound to. */
export async function snapshotColumnsOf(
  sealer: Sealer,
  known: Pick<Entity<'ProviderResource'>, 'userId' | 'subjectId' | 'handle'>,
  snapshot: Snapshot,
  now: Date,
): Promise<SnapshotColumns> {
  const { userId, subjectId, handle } = known;
  switch (snapshot.kind) {
    case 'owner': {
      if (snapshot.status !== 'completed') return { subject: {}, resource: {} };
      const identity = JSON.stringify({ fullName: snapshot.fullName, email: snapshot.email });
      return {
        subject: {
          identitySealed: await sealer.seal(encryptionContexts.identity(userId, subjectId, now), identity),
          identitySealedAt: now,
          completedAt: snapshot.completedAt ?? snapshot.updatedAt,
        },
        resource: {},
      };
    }
    case 'account': {
      const { depositInstructions } = snapshot;
      return {
        subject: {
          providerAccountId: snapshot.providerRef,
          ...(depositInstructions && {
            depositInstructionsSealed: unlessClosed(
              userId,
              await sealer.seal(
                encryptionContexts.depositInstructions(userId, subjectId, now),
                JSON.stringify(depositInstructions),
              ),
            ),
            depositInstructionsSealedAt: now,
          }),
        },
        resource: {},
      };
    }
    case 'transfer':
    case 'payout': {
      const { failureReason } = snapshot;
      if (failureReason === null) return { subject: {}, resource: {} };
      return {
        subject: {},
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

/** An account may be opened after its user has closed theirs: what closing deleted must not come back with it. */
const unlessClosed = (userId: string, sealed: Buffer): RawBuilder<Buffer | null> =>
  sql<Buffer | null>`(select ${sealed}::bytea from users where id = ${userId}::uuid and closed_at is null)`;
