// The operators' list of data subjects' requests.
import type { Db } from '../orm.ts';
import { prepared } from '../prepared.ts';

type Limit = { limit: number };

const requests = (db: Db, { limit }: Limit) =>
  db
    .selectFrom('DataRequest')
    .select((of) => [
      'id',
      'userId',
      'type',
      'status',
      of('notesSealed', 'is not', null).$castTo<boolean>().as('hasNotes'),
      'receivedAt',
      'dueAt',
      'closedAt',
    ])
    .orderBy('status')
    .orderBy('dueAt')
    .limit(limit);

/** Lists open requests first, then by the date on which the answer is due. */
export const listDataRequests = prepared.all(requests);
export const listUnansweredRequests = prepared.all((db, params: Limit) =>
  requests(db, params).where('status', '=', 'open'),
);
