// A process that carries out work. Its heartbeat is a counter: other processes compare it with what they read before, by their
// own clocks, so that no clock has to agree with another.
import { defineEntity, p } from '@mikro-orm/core';
import { moment } from './columns.ts';

export const Process = defineEntity({
  name: 'Process',
  tableName: 'processes',
  properties: {
    /** The owner of its leases. Chosen anew at each start, and when other processes have taken this one for dead. */
    id: p.uuid().primary(),
    /** `host:pid`, for operators. */
    name: p.string().length(120),
    heartbeat: p.bigint('number').defaultRaw('0'),
    startedAt: moment(),
    heartbeatAt: moment(),
  },
});
