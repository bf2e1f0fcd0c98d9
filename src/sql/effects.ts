// The outbox: the calls to the provider that committed transitions emitted.
import { sql } from 'kysely';
import { prepared } from '../database/prepared.ts';

/** Whether these bank details were sent for validation within the last `seconds`. */
export const wasValidationEnqueued = prepared.first(
  (_db, given: { bankDetailsId: string; userId: string; version: number; seconds: number }) => sql<{
    id: string;
  }>`
    select id from effects
    where subject_id = ${given.bankDetailsId} and user_id = ${given.userId} and seq = ${given.version}
      and created_at > now() - make_interval(secs => ${given.seconds})
    limit 1`,
);
