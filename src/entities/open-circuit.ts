// A process that has stopped asking an unreachable provider for a while, and says so here for all to see.
import { defineEntity, p } from '@mikro-orm/core';
import { moment } from './columns.ts';

export const OpenCircuit = defineEntity({
  name: 'OpenCircuit',
  tableName: 'open_circuits',
  properties: {
    /** `host:pid` of the process. */
    process: p.string().length(120).primary(),
    openedAt: moment(),
    /** When the process last said that it is still so: one that died says nothing more. */
    heartbeatAt: moment(),
    reason: p.text(),
  },
});
