// Presents a user in the contract's form.
import type { User } from '../../openapi/generated/openapi.ts';
import { encryptionContexts } from '../security/encryption-contexts.ts';
import type { Open } from '../security/sealer.ts';
import type { ShownUser } from '../tables/users/statements.ts';

export const userFrom = (open: Open, user: ShownUser): User => ({
  id: user.id,
  email: emailOf(open, user),
  homeCurrency: user.homeCurrency,
  displayName: user.displayName,
  createdAt: user.createdAt.toISOString(),
});

export const emailOf = (open: Open, { id, emailSealed }: ShownUser): string | null =>
  emailSealed && open(encryptionContexts.email(id, id), emailSealed);
