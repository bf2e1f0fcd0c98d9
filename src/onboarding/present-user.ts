// Presents a user in the contract's form.
import type { User } from '../../openapi/generated/openapi.ts';
import type { Entity } from '../platform/entities/rows.ts';
import type { Sealer } from '../platform/sealing/sealer.ts';
import { emailOf } from './email.ts';

export const userFrom = async (sealer: Sealer, user: Entity<'User'>): Promise<User> => ({
  id: user.id,
  email: await emailOf(sealer, user),
  homeCurrency: user.homeCurrency,
  displayName: user.displayName,
  createdAt: user.createdAt.toISOString(),
});
