// A user's e-mail address, opened.
import type { UserRow } from '../entities/rows.ts';
import { encryptionContexts } from '../sealing/encryption-contexts.ts';
import type { Sealer } from '../sealing/sealer.ts';

export const emailOf = async (sealer: Sealer, user: UserRow): Promise<string | null> =>
  user.email_sealed && (await sealer.open(encryptionContexts.email(user.id, user.id), user.email_sealed));
