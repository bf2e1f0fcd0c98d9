// A user as the API shows one.
import type { User } from '../../openapi/generated/openapi.ts';
import type { UserRow } from '../api/operation.ts';
import type { Sealer } from '../sealing/sealer.ts';
import { emailOf } from './email.ts';

export const userFrom = async (sealer: Sealer, user: UserRow): Promise<User> => ({
  id: user.id,
  email: await emailOf(sealer, user),
  homeCurrency: user.home_currency,
  displayName: user.display_name,
  createdAt: user.created_at.toISOString(),
});
