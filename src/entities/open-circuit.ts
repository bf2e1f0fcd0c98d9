// A process whose circuit to the provider is open, published here for the other processes and operators.
import { defineEntity, p } from '@mikro-orm/core';
import { moment } from './columns.ts';

export const OpenCircuit = defineEntity({
  name: 'OpenCircuit',
  tableName: 'open_circuits',
  properties: {
    /** `host:pid` of the process. */
    process: p.string().length(120).primary(),
    openedAt: moment(),
    /** When the process last confirmed it: a process that died confirms nothing. */
    heartbeatAt: moment(),
    reason: p.text(),
  },
});
