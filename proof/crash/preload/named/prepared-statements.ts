// Stands in for src/database/patches/prepared-statements.ts, through which every statement of a connection goes: each write has
// its points.
import * as patch from '../../../../src/database/patches/prepared-statements.ts';
import { withPoints } from '../database.ts';

export { createStatementNames } from '../../../../src/database/patches/prepared-statements.ts';

export const prepareStatements: typeof patch.prepareStatements = (client, query, names) =>
  withPoints(client, patch.prepareStatements(client, query, names));
