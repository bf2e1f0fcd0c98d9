// The bank details that withdrawals go to: one row for each user and currency.

import { sql } from 'kysely';
import { pick } from '../../platform/database/prepared.ts';
import { equals, prepared } from '../prepared.ts';
import { type Entity } from '../rows.ts';

type BankDetails = Entity<'BankDetails'>;

export const listBankDetails = prepared.all((db, { userId }: { userId: string }) =>
  db.selectFrom('BankDetails').selectAll().where('userId', '=', userId).orderBy('createdAt', 'desc'),
);

/** Saves new details in the place of former ones. They are not validated yet. */
export const upsertBankDetails = prepared.first(
  (db, params: Omit<BankDetails, 'validationStatus' | 'validatedAt'>) =>
    db
      .insertInto('BankDetails')
      .values(pick(params, 'id', 'userId', 'currency', 'detailsSealed', 'version', 'createdAt', 'updatedAt'))
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

export const findBankDetails = prepared.first((db, { userId, id }: { userId: string; id: string }) =>
  db.selectFrom('BankDetails').selectAll().where(equals({ userId, id })),
);

type Key = Pick<BankDetails, 'id' | 'userId'>;

type Validation = Key & Pick<BankDetails, 'version' | 'validationStatus' | 'validatedAt'>;

/** Keeps the result of a validation, unless the bank details were saved again meanwhile: the result is about the earlier ones. */
export const setValidationStatus = prepared.count((db, params: Validation) =>
  db
    .updateTable('BankDetails')
    .set({ validationStatus: params.validationStatus, validatedAt: params.validatedAt })
    .where(equals(pick(params, 'id', 'userId', 'version'))),
);

/** Lists bank details whose version is lower than a recorded one. @param params has each version at the index of its id. */
export const listRolledBack = prepared.all(
  (_db, { ids, versions }: { ids: string[]; versions: number[] }) => sql<{
    id: string;
    version: number;
    recorded: number;
  }>`
    select bank_details.id, bank_details.version, max(recorded.version)::float8 as recorded
    from unnest(${ids}::uuid[], ${versions}::bigint[]) as recorded (id, version)
    join bank_details on bank_details.id = recorded.id and bank_details.version < recorded.version
    group by bank_details.id, bank_details.user_id`,
);
