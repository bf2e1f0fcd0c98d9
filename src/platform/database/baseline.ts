// The migrations begin with a baseline, which creates the schema of version 0.4.0 in an empty database. A database that version 0.4.0
// migrated has that schema already: the baseline is recorded there and not run. The records of the former migrations stay, because
// version 0.4.0 looks for them when it serves next to this version or comes back.

export const BASELINE = 'Migration20261126120000';
const FORMER_VERSION = '0.4.0';
/** The last migration of version 0.4.0. */
const LAST_FORMER = 'Migration20261126154000';

/**
 * Whether the database has the schema that the baseline creates, and no record of the baseline.
 * @param applied the names of the migrations that were applied to the database.
 */
export const lacksOnlyTheRecord = (applied: ReadonlySet<string>): boolean =>
  applied.has(LAST_FORMER) && !applied.has(BASELINE);

/** @throws SchemaBeforeBaseline if only a version before 0.4.0 migrated the database. */
export function assertBaselineFits(applied: ReadonlySet<string>): void {
  if (applied.size > 0 && !applied.has(BASELINE) && !applied.has(LAST_FORMER))
    throw new SchemaBeforeBaseline();
}

export class SchemaBeforeBaseline extends Error {
  constructor() {
    super(
      `The database's schema is older than that of version ${FORMER_VERSION}. Deploy version ${FORMER_VERSION} first, and run there: npm run db:migrate`,
    );
    this.name = 'SchemaBeforeBaseline';
  }
}
