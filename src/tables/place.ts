// Where the rows of a table live on several servers (docs/performance.md). One server has every table. `npm run db:distribute` gives
// the tables these places on Citus. A table's entity names its place.

/**
 * `column`: distributed by the value of this column. Tables of one `group` have the rows of one value on one server.
 * `reference`: every server has a copy. `coordinator`: only the coordinator has it.
 */
export type Place = { column: string; group: Group } | 'reference' | 'coordinator';

/** Groups keep different values, so their rows are never joined by them. */
type Group = 'users' | 'callbacks' | 'identities' | 'objects' | 'keys';

declare module '@mikro-orm/core' {
  interface EntityMetadata {
    place?: Place;
  }
}

/** The rows of one user are on one server. */
export const byUser: Place = { column: 'user_id', group: 'users' };
