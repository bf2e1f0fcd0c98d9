// A history of the database. A restored backup and a promoted standby begin a new one, and may lack the latest rows of the former one.
import { defineEntity, p } from '@mikro-orm/core';
import { moment } from '../columns.ts';

export const DatabaseHistory = defineEntity({
  name: 'DatabaseHistory',
  tableName: 'database_histories',
  place: 'coordinator',
  properties: {
    id: p.uuid().primary(),
    /** PostgreSQL's system identifier and timeline, such as `7531242/2`. Both are new in a restored or promoted server. */
    server: p.string().length(60),
    /** The provider's lists are compared from this time on. */
    listedFrom: moment(),
    beganAt: moment(),
    /** When the provider's lists were compared for the first time. Before, nobody is promised money. */
    comparedAt: moment().nullable(),
    /** When nothing was missing any more. Before, people are promised no money while something of theirs is missing. */
    endedAt: moment().nullable(),
  },
});
