// The processes whose circuit to the provider is open.

import { everyProperty, prepared } from '../prepared.ts';
import type { Entity } from '../rows.ts';

/** Shows the open circuit of a process, or that it is still open. */
export const keepOpenCircuit = prepared.count((db, params: Entity<'OpenCircuit'>) =>
  db
    .insertInto('OpenCircuit')
    .values(everyProperty('OpenCircuit', params))
    .onConflict((conflict) =>
      conflict.column('process').doUpdateSet((row) => ({
        openedAt: row.ref('excluded.openedAt'),
        heartbeatAt: row.ref('excluded.heartbeatAt'),
        reason: row.ref('excluded.reason'),
      })),
    ),
);

/** Deletes the row of a process, and those without a heartbeat since `staleSince`: these processes died with their circuits open. */
export const deleteOpenCircuits = prepared.count(
  (db, { process, staleSince }: { process: string; staleSince: Date }) =>
    db
      .deleteFrom('OpenCircuit')
      .where((is) => is.or([is('process', '=', process), is('heartbeatAt', '<', staleSince)])),
);
