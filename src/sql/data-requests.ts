// The data subjects' requests.
import { prepared } from '../database/prepared.ts';

export const findDataRequest = prepared.first((db, { userId, id }: { userId: string; id: string }) =>
  db.selectFrom('DataRequest').selectAll().where('userId', '=', userId).where('id', '=', id),
);
