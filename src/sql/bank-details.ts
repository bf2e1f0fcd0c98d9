// The bank details that withdrawals go to: one row for each user and currency.
import { pick, prepared } from '../database/prepared.ts';
import type { Entity } from '../entities/rows.ts';

type BankDetails = Entity<'BankDetails'>;

export const listBankDetails = prepared.all((db, { userId }: { userId: string }) =>
  db.selectFrom('BankDetails').selectAll().where('userId', '=', userId).orderBy('createdAt', 'desc'),
);

/** Saves new details in the place of former ones. They are not validated yet. */
export const upsertBankDetails = prepared.first(
  (db, given: Omit<BankDetails, 'validationStatus' | 'validatedAt'>) =>
    db
      .insertInto('BankDetails')
      .values(pick(given, 'id', 'userId', 'currency', 'detailsSealed', 'version', 'createdAt', 'updatedAt'))
      .onConflict((conflict) =>
        conflict.columns(['userId', 'currency']).doUpdateSet((row) => ({
          detailsSealed: row.ref('excluded.detailsSealed'),
          version: row.ref('excluded.version'),
          validationStatus: null,
          validatedAt: null,
          updatedAt: row.ref('excluded.updatedAt'),
        })),
      )
      .returningAll(),
);

type Key = Pick<BankDetails, 'id' | 'userId'>;

export const findBankDetails = prepared.first((db, { id, userId }: Key) =>
  db.selectFrom('BankDetails').selectAll().where('id', '=', id).where('userId', '=', userId),
);

type Validation = Key & Pick<BankDetails, 'version' | 'validationStatus' | 'validatedAt'>;

/** Keeps the result of a validation, unless the bank details were saved again meanwhile: the result is about the earlier ones. */
export const setValidationStatus = prepared.count((db, given: Validation) =>
  db
    .updateTable('BankDetails')
    .set({ validationStatus: given.validationStatus, validatedAt: given.validatedAt })
    .where('id', '=', given.id)
    .where('userId', '=', given.userId)
    .where('version', '=', given.version),
);
