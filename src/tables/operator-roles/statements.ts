// The roles of operators and of support, and the login of this session.

import { sql } from 'kysely';
import { prepared } from '../prepared.ts';

/**
 * Finds the user that the connection was opened with, whatever role it has taken since. `role` names the roles whose members act under
 * their own names. It is null if nobody needs a login of their own. A superuser does not count as a member.
 */
export const findLogin = prepared.first(
  (_db, _given: object) => sql<{ login: string; role: string | null; isMember: boolean }>`
    select session_user::text as login, string_agg(name, ' or ' order by name) as role,
      current_setting('is_superuser') = 'off'
        and bool_or(pg_has_role(session_user, to_regrole(quote_ident(name))::oid, 'member')) is true as is_member
    from operator_roles`,
);
