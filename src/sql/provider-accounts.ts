// The users' accounts at the provider.
import { prepared } from '../database/prepared.ts';

export const listAccounts = prepared.all((db, { userId }: { userId: string }) =>
  db.selectFrom('ProviderAccount').selectAll().where('userId', '=', userId),
);

/** Removes where to send deposits to. */
export const clearDepositInstructions = prepared.count((db, { userId }: { userId: string }) =>
  db
    .updateTable('ProviderAccount')
    .set({ depositInstructionsSealed: null, depositInstructionsSealedAt: null })
    .where('userId', '=', userId),
);
