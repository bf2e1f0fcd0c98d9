// The users' verifications: one row for each user.
import { prepared } from '../database/prepared.ts';

export const findKyc = prepared.first((db, { userId }: { userId: string }) =>
  db.selectFrom('KycVerification').selectAll().where('userId', '=', userId),
);
