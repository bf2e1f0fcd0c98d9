// The users' accounts at the provider.
import { prepared } from '../database/prepared.ts';

export const listAccounts = prepared.all((db, { userId }: { userId: string }) =>
  db.selectFrom('ProviderAccount').selectAll().where('userId', '=', userId),
);
