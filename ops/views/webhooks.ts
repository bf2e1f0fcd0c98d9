// Lists stored callbacks by their status, newest first.

import { listCallbacks } from '../../src/tables/ops/webhooks.ts';
import { webhookStatuses } from '../../src/tables/webhook-events/entity.ts';
import { UNMAPPED_EVENT } from '../../src/webhooks/outcome.ts';
import { type CommandSpec, valuesOf } from '../command.ts';
import { age } from '../format.ts';
import { printList, stateColumn } from '../table.ts';

export const webhooksCommand: CommandSpec = {
  name: 'webhooks',
  summary: 'callbacks that changed nothing, newest first',
  isList: true,
  options: {
    status: {
      placeholder: '<status,...>',
      summary: 'callbacks of these statuses',
      default: 'unmatched,ignored',
      values: webhookStatuses,
    },
    all: { summary: 'also callbacks of kinds that the service does not use' },
  },
  run: async ({ app, out, options, limit }) => {
    const statuses = valuesOf(options['status']) as (typeof webhookStatuses)[number][];
    // Most callbacks are of kinds that the service does not use: they report the counterparts of our own requests.
    const except = options['all'] === true ? null : UNMAPPED_EVENT;
    const listed = await listCallbacks(app.db, { statuses, except, limit: limit + 1 });
    const rows = listed
      .toSorted((a, b) => b.receivedAt.getTime() - a.receivedAt.getTime())
      .slice(0, limit + 1);
    printList({ out, limit }, rows, `No callback is ${statuses.join(' or ')}.`, [
      { title: 'event', of: ({ id }) => id },
      { title: 'kind', of: ({ eventType }) => eventType },
      stateColumn('status', ({ status }) => status),
      { title: 'received', of: ({ receivedAt }) => age(receivedAt, out.now), alignRight: true },
      { title: 'attempts', of: ({ attempts }) => String(attempts), alignRight: true },
      { title: 'transaction', of: ({ transactionId }) => transactionId ?? '' },
      { title: 'reason', of: ({ why }) => why ?? '' },
    ]);
  },
};
