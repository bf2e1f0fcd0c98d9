// Stands in for src/database/patches/prepared-statements.ts, through which every statement of a connection goes: each write has
// its points.
import * as patch from '../../../../src/database/patches/prepared-statements.ts';
import { withPoints } from '../database.ts';

export const createStatementNames: typeof patch.createStatementNames = patch.createStatementNames;

export const prepareStatements: typeof patch.prepareStatements = (client, query, names) =>
  withPoints(client, patch.prepareStatements(client, query, names));
