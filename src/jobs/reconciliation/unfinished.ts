// Lists the unfinished verifications, accounts, payments and withdrawals page by page.

import type { StateOf } from '../../../machines/machines.ts';
import { NIL_UUID } from '../../domain/ids.ts';
import type { SubjectKind } from '../../platform/database/entities/subject.ts';
import type { Db } from '../../platform/database/orm.ts';
import { findUnfinished, listUnfinished } from '../../platform/sql/lifecycles.ts';

export type Unfinished = { id: string; userId: string; state: StateOf; seq: number };

/** The name of each kind of row in reports. */
export const namesOf: Record<SubjectKind, string> = {
  kyc: 'verifications',
  provider_account: 'accounts',
  pix_payment: 'payments',
  withdraw: 'withdrawals',
};

/** Lists a page of unfinished rows, ordered by id. */
export const unfinishedOf = (
  db: Db,
  kind: SubjectKind,
  after: string | null,
  limit: number,
): Promise<Unfinished[]> => listUnfinished[kind](db, { after: after ?? NIL_UUID, limit });

/** Returns the current row, or undefined if it has reached a final state in the meantime. */
export const stillUnfinished = (db: Db, kind: SubjectKind, id: string): Promise<Unfinished | undefined> =>
  findUnfinished[kind](db, { id });
