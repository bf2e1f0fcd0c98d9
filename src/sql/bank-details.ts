// The bank details that withdrawals go to: one row for each user and currency.
import { sql } from 'kysely';
import { prepared } from '../database/prepared.ts';

/** Lists bank details whose version is lower than a recorded one. @param given has each version at the index of its id. */
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
