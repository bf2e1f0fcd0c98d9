// Presents a user in the contract's form.
import type { User } from '../../openapi/generated/openapi.ts';
import type { Entity } from '../platform/database/entities/rows.ts';
import { encryptionContexts } from '../platform/security/encryption-contexts.ts';
import type { Sealer } from '../platform/security/sealer.ts';

export const userFrom = async (sealer: Sealer, user: Entity<'User'>): Promise<User> => ({
  id: user.id,
  email: await emailOf(sealer, user),
  homeCurrency: user.homeCurrency,
  displayName: user.displayName,
  createdAt: user.createdAt.toISOString(),
});

export const emailOf = async (sealer: Sealer, { id, emailSealed }: Entity<'User'>): Promise<string | null> =>
  emailSealed && (await sealer.open(encryptionContexts.email(id, id), emailSealed));
