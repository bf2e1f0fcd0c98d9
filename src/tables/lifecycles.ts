// The rows that have a machine, and the history of their states. The tables share these statements. Only `advance`
// (src/lifecycle/advance.ts) inserts and updates: a test holds that.
import { sql } from 'kysely';
import type { StateOf } from '../../machines/machines.ts';
import { unfinished } from '../../machines/states.ts';
import { oneOf } from '../platform/database/one-of.ts';
import { ofEach, pick } from '../platform/database/prepared.ts';
import type { Db } from './orm.ts';
import { equals, everyProperty, prepared } from './prepared.ts';
import type { Entity } from './rows.ts';
import { type SubjectEntity, type SubjectKind, subjectEntities } from './subject.ts';

type Key = { id: string; userId: string };
/** The properties that a machine changes, besides the state. */
const changedProperties = {
  KycVerification: ['level', 'attempt', 'failureCode'],
  ProviderAccount: [],
  PixPayment: [
    'homeDebitMinor',
    'usdcDeliveredMinor',
    'usdcResidualMinor',
    'brlResidualMinor',
    'returnCapBps',
    'payoutAttempt',
    'endToEndId',
    'voucherId',
    'failure',
    'payoutFailureCode',
    'payoutFailureLimit',
    'payoutRetryFrom',
    'settlementAmountMinor',
    'settlementCurrency',
    'settledAt',
  ],
  Withdraw: ['failure'],
  Contestation: ['resolvedAt'],
  PayoutRefund: ['attempt', 'homeCreditMinor'],
} as const satisfies { [Name in SubjectEntity]: readonly (keyof Entity<Name>)[] };

const entities = Object.values(subjectEntities);
const kinds = Object.keys(subjectEntities) as SubjectKind[];

/** Locks a row for the rest of the database transaction, so that its events are applied one after the other. */
export const lockSubject = ofEach(entities, (entity) =>
  prepared.first((db, { id, userId }: Key) =>
    db.selectFrom(entity).selectAll().where(equals({ id, userId })).forNoKeyUpdate(),
  ),
);

/** The properties that all of these tables have. A row has the others of its own table as well. */
type CommonRow = Pick<
  Entity<SubjectEntity>,
  'id' | 'userId' | 'state' | 'seq' | 'stateEnteredAt' | 'updatedAt'
>;

export const insertSubject = ofEach(entities, (entity) =>
  prepared.count((db, row: CommonRow) => db.insertInto(entity).values(everyProperty(entity, row as never))),
);

/** Compare-and-set on `seq`: returns 0 if another transition came between. */
export const updateSubject = ofEach(entities, (entity) =>
  prepared.count((db, row: CommonRow & { formerSeq: number }) =>
    db
      .updateTable(entity)
      .set(pick(row, 'state', 'seq', 'stateEnteredAt', 'updatedAt'))
      .set(pick(row as never, ...changedProperties[entity]))
      .where(equals({ id: row.id, userId: row.userId, seq: row.formerSeq })),
  ),
);

/** @param params the event's data as JSON. */
export const insertTransition = prepared.count(
  (db, params: Omit<Entity<'Transition'>, 'eventData' | 'recordedAt'> & { eventData: string }) =>
    db.insertInto('Transition').values(
      everyProperty('Transition', params, {
        eventData: sql`${params.eventData}::jsonb`,
        recordedAt: sql<Date>`now()`,
      }),
    ),
);

export const findState = ofEach(kinds, (kind) =>
  prepared.first((db, { id, userId }: Key) =>
    db.selectFrom(subjectEntities[kind]).select('state').where(equals({ id, userId })),
  ),
);

/** The names of the states are literals, because each table has a partial index of its unfinished rows. */
const unfinishedRows = (db: Db, kind: SubjectKind) =>
  db
    .selectFrom(subjectEntities[kind])
    .select(['id', 'userId', 'state', 'seq'])
    .where('state', 'in', oneOf<StateOf>(unfinished[kind]));

/** Lists a page of the unfinished rows in the order of their ids. */
export const listUnfinished = ofEach(kinds, (kind) =>
  prepared.all((db, { after, limit }: { after: string; limit: number }) =>
    unfinishedRows(db, kind).where('id', '>', after).orderBy('id').limit(limit),
  ),
);

export const findUnfinished = ofEach(kinds, (kind) =>
  prepared.first((db, { id, userId }: Key) => unfinishedRows(db, kind).where(equals({ id, userId }))),
);
