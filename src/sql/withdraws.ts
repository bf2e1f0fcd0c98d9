// The withdrawals. Their states are written by `advance` alone (lifecycles.ts).
import { prepared } from '../database/prepared.ts';

export const findWithdraw = prepared.first((db, { userId, id }: { userId: string; id: string }) =>
  db.selectFrom('Withdraw').selectAll().where('userId', '=', userId).where('id', '=', id),
);
