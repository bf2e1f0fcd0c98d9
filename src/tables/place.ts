// The place of a table on several servers (docs/performance.md). Its entity names it, and `npm run db:distribute` applies it. A single
// server ignores places.

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
