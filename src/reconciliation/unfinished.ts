// The unfinished rows, a page at a time: verifications, accounts, payments and withdrawals.

import type { StateOf } from '../../machines/machines.ts';
import { unfinished } from '../../machines/states.ts';
import { byEntity } from '../database/by-entity.ts';
import { oneOf } from '../database/one-of.ts';
import type { Db } from '../database/orm.ts';
import { NIL_UUID } from '../domain/ids.ts';
import { type SubjectKind, subjectEntities } from '../entities/subject.ts';

export type Unfinished = { id: string; userId: string; state: StateOf; seq: number };

/** The name used in reports. */
export const namesOf: Record<SubjectKind, string> = {
  kyc: 'verifications',
  provider_account: 'accounts',
  pix_payment: 'payments',
  withdraw: 'withdrawals',
};

/** Ordered by id; each has an index of just these rows. */
export function unfinishedOf(
  db: Db,
  kind: SubjectKind,
  after: string | null,
  limit: number,
): Promise<Unfinished[]> {
  const behind = unfinishedIn(db, kind).where('id', '>', after ?? NIL_UUID);
  return behind.orderBy('id').limit(limit).execute();
}

/** The current row, or undefined where it has reached a final state meanwhile. */
export const stillUnfinished = (db: Db, kind: SubjectKind, id: string): Promise<Unfinished | undefined> =>
  unfinishedIn(db, kind).where('id', '=', id).executeTakeFirst();

const unfinishedIn = (db: Db, kind: SubjectKind) =>
  byEntity(db)
    .selectFrom(subjectEntities[kind])
    .where('state', 'in', oneOf<StateOf>(unfinished[kind]))
    .select(['id', 'userId', 'state', 'seq']);
