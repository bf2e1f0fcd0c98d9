// The customer's transaction, which follows the payment or withdrawal that it shows.
import { statement } from '../database/statement.ts';
import type { Entity } from '../entities/rows.ts';

type Following = {
  id: string;
  userId: string;
  changed: Partial<Pick<Entity<'Transaction'>, 'status' | 'failure' | 'completedAt'>>;
};

export const updateTransaction = statement((db, { id, userId, changed }: Following) =>
  db.updateTable('Transaction').set(changed).where('id', '=', id).where('userId', '=', userId),
);
