// The role of operators, and the login of this session.

import { sql } from 'kysely';
import { prepared } from '../prepared.ts';

/**
 * Finds the user that the connection was opened with, whatever role it has taken since. `role` is null if operators need no login of their
 * own. A superuser does not count as a member.
 */
export const findLogin = prepared.first(
  (_db, _given: object) => sql<{ login: string; role: string | null; isMember: boolean }>`
    select session_user::text as login, operator_role.name as role,
      current_setting('is_superuser') = 'off'
        and pg_has_role(session_user, to_regrole(quote_ident(operator_role.name))::oid, 'member') is true as is_member
    from (select) as here left join operator_roles as operator_role on true`,
);
