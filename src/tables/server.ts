// The server itself: its role in replication, its settings, and the privileges of the roles that the service connects as.
import { sql } from 'kysely';
import { prepared } from './prepared.ts';

export const findServerRole = prepared.first(
  () => sql<{ isStandby: boolean }>`select pg_is_in_recovery() as "isStandby"`,
);

/** Finds when the server confirms a commit to this session, and the session's role as it is written in SQL. */
export const findCommitSetting = prepared.first(
  () => sql<{ synchronousCommit: string; role: string }>`
    select current_setting('synchronous_commit') as "synchronousCommit", quote_ident(current_user) as role`,
);

/** Lists those of the settings that are 0: without a limit. */
export const listUnlimitedSettings = prepared.all(
  (_db, { names }: { names: string[] }) => sql<{ name: string }>`
    select name from pg_settings where name = any(${names}::text[]) and setting = '0' order by name`,
);

/** Finds whether the role may delete what only erasure deletes. `database` is different for each database of each server. */
export const findErasureRights = prepared.first(
  () => sql<{ mayErase: boolean; database: string }>`
    select has_table_privilege('transitions', 'delete') or has_table_privilege('data_keys', 'delete') as "mayErase",
      system_identifier || '/' || current_database() as database
    from pg_control_system()`,
);

export const findOwnership = prepared.first(
  () => sql<{ isOwner: boolean }>`
    select pg_has_role(relowner, 'member') as "isOwner" from pg_class where oid = 'audit_events'::regclass`,
);
