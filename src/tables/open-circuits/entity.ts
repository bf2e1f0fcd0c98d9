// A process whose circuit to the provider is open. Other processes and operators read it here.
import { defineEntity, p } from '@mikro-orm/core';
import { moment } from '../columns.ts';

export const OpenCircuit = defineEntity({
  name: 'OpenCircuit',
  tableName: 'open_circuits',
  place: 'coordinator',
  properties: {
    /** The process, as `host:pid`. */
    process: p.string().length(120).primary(),
    openedAt: moment(),
    /** When the process last confirmed that its circuit is open. A dead process no longer updates it. */
    heartbeatAt: moment(),
    reason: p.text(),
  },
});
