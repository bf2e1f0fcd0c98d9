// The roles that operators and support log in as members of. While there is a row, the audit record takes an operator's name from the
// login and refuses the change of anyone else (a trigger of audit_events). `npm run db:migrate` writes them; nobody else may.
import { defineEntity, p } from '@mikro-orm/core';

export const OperatorRole = defineEntity({
  name: 'OperatorRole',
  tableName: 'operator_roles',
  place: 'coordinator',
  properties: {
    name: p.text().primary(),
  },
});
