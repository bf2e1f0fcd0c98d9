// Replaces src/platform/database/statement-names.ts, through which every statement of a connection passes: each write has its points.
import * as named from '../../../../src/platform/database/statement-names.ts';
import { withPoints } from '../database.ts';

export { createStatementNames } from '../../../../src/platform/database/statement-names.ts';

export const nameStatements: typeof named.nameStatements = (client, query, names) =>
  withPoints(client, named.nameStatements(client, query, names));
