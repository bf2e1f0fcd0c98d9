// Who calls a command: the name that was given, or the login of the database's session.

import { findLogin } from '../src/tables/operator-roles/statements.ts';
import type { Db } from '../src/tables/orm.ts';
import { OpsFailure } from './command.ts';
import { assertOperatorName } from './options.ts';

/**
 * Returns the name under which an operator acts. If operators have logins of their own, it is the login, whatever name was given.
 * @throws OpsFailure if such a login is needed and this session has none: a shared login, also a pooler's, proves nobody.
 */
export async function operatorIn(db: Db, name: string): Promise<string> {
  const { login, role, isMember } = (await findLogin(db, {})) ?? { login: '', role: null, isMember: false };
  if (role === null) return name;
  if (!isMember)
    throw new OpsFailure(
      `Operators log in with a role of their own here, a member of ${role}, and DATABASE_URL has ${login}. Put your own role and its password there.`,
    );
  assertOperatorName(login);
  return login;
}
