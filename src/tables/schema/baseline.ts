// The migrations begin with a baseline, which creates the schema in an empty database. A database that has tables and no record of the
// baseline is older than the schema that the next migrations change.

export const BASELINE = 'Migration20261126120000';

/**
 * @param applied the names of the migrations that were applied to the database.
 * @throws SchemaBeforeBaseline if migrations were applied, but not the baseline.
 */
export function assertBaselineFits(applied: ReadonlySet<string>): void {
  if (applied.size > 0 && !applied.has(BASELINE)) throw new SchemaBeforeBaseline();
}

export class SchemaBeforeBaseline extends Error {
  constructor() {
    super(
      "The database's schema is older than that of version 1.0.0. Deploy version 1.1.0 first, and run there: npm run db:migrate",
    );
    this.name = 'SchemaBeforeBaseline';
  }
}
