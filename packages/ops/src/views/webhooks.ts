// Lists stored callbacks by their status, newest first.
import type { webhookStatuses } from '../../../../src/platform/database/entities/webhook-event.ts';
import { listCallbacks, listCallbacksWithout } from '../../../../src/platform/sql/ops/webhooks.ts';
import { UNMAPPED_EVENT } from '../../../../src/webhooks/outcome.ts';
import { type CommandCall, type CommandSpec, valuesOf } from '../command.ts';
import { age, oneLine, paintState } from '../format.ts';
import { type Column, printList } from '../table.ts';

export const webhooksCommand: CommandSpec = {
  name: 'webhooks',
  summary: 'callbacks that changed nothing, newest first',
  isList: true,
  options: {
    status: {
      placeholder: '<status,...>',
      summary: 'callbacks of these statuses',
      default: 'unmatched,ignored',
      values: ['received', 'applied', 'ignored', 'unmatched'],
    },
    all: { summary: 'also callbacks of kinds that the service does not use' },
  },
  run,
};

async function run({ app, out, options, limit }: CommandCall): Promise<void> {
  const columns: Column<WebhookLine>[] = [
    { title: 'event', of: ({ id }) => id },
    { title: 'kind', of: ({ eventType }) => oneLine(eventType) },
    { title: 'status', of: ({ status }) => status, paint: ({ status }, style) => paintState(status, style) },
    { title: 'received', of: ({ receivedAt }) => age(receivedAt, out.now), alignRight: true },
    { title: 'attempts', of: ({ attempts }) => String(attempts), alignRight: true },
    { title: 'transaction', of: ({ transactionId }) => transactionId ?? '' },
    { title: 'reason', of: ({ why }) => why ?? '' },
  ];
  const statuses = valuesOf(options['status']);
  const wanted = { statuses: statuses as Status[], limit: limit + 1 };
  // Most callbacks are of kinds that the service does not use: they report the counterparts of our own requests.
  const rows =
    options['all'] === true
      ? await listCallbacks(app.db, wanted)
      : await listCallbacksWithout(app.db, { ...wanted, outcome: UNMAPPED_EVENT });
  printList({ out, limit }, columns, rows, `No callback is ${statuses.join(' or ')}.`);
}

type Status = (typeof webhookStatuses)[number];
type WebhookLine = {
  id: string;
  eventType: string;
  status: Status;
  why: string | null;
  attempts: number;
  transactionId: string | null;
  receivedAt: Date;
  processedAt: Date | null;
};
