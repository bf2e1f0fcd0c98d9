// Opens a user's e-mail address.
import type { Entity } from '../platform/entities/rows.ts';
import { encryptionContexts } from '../platform/sealing/encryption-contexts.ts';
import type { Sealer } from '../platform/sealing/sealer.ts';

export const emailOf = async (sealer: Sealer, { id, emailSealed }: Entity<'User'>): Promise<string | null> =>
  emailSealed && (await sealer.open(encryptionContexts.email(id, id), emailSealed));
