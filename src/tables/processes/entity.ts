// A process that runs work. Its heartbeat is a counter. Other processes compare it with the value that they read before, and
// measure time with their own clocks, so the clocks of two processes need not agree.
import { defineEntity, p } from '@mikro-orm/core';
import { moment } from '../columns.ts';

export const Process = defineEntity({
  name: 'Process',
  tableName: 'processes',
  place: 'coordinator',
  properties: {
    /**
     * The owner of the process's leases. A process chooses a new one at each start, and when other
     * processes have considered it dead.
     */
    id: p.uuid().primary(),
    /** `host:pid`, for operators. */
    name: p.string().length(120),
    heartbeat: p.bigint('number').defaultRaw('0'),
    startedAt: moment(),
    heartbeatAt: moment(),
    /** What the provider holds up in this process: types of work whose slots all wait for it, and operations that it does not answer. */
    heldUp: p.array().columnType('text[]').defaultRaw("'{}'"),
  },
});
