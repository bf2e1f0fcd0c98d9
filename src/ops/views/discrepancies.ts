// Discrepancies between the provider and our rows: neither is right by itself, so a person decides.
import type { App } from '../../app.ts';
import type { Call } from '../command.ts';
import { age, oneLine } from '../format.ts';
import { type Column, printList } from '../table.ts';

export async function run({ app, out, options, limit }: Call): Promise<void> {
  const columns: Column<DiscrepancyLine>[] = [
    { title: 'discrepancy', of: ({ id }) => id },
    { title: 'kind', of: ({ kind }) => kind, paint: (_row, style) => style.red },
    { title: 'subject', of: (row) => `${row.subjectKind} ${row.subjectId}` },
    { title: 'our state', of: ({ state }) => state },
    { title: 'event', of: ({ event }) => event },
    { title: "the provider's id", of: ({ providerRef }) => providerRef ?? '' },
    { title: 'age', of: ({ snapshotAt }) => age(snapshotAt, out.now), alignRight: true },
    { title: 'data', of: ({ eventData }) => oneLine(JSON.stringify(eventData)) },
    { title: 'resolved', of: ({ resolution }) => (resolution === null ? '' : oneLine(resolution)) },
  ];
  const rows = await discrepancies(app, options['all'] === true, limit + 1);
  printList({ out, limit }, columns, rows, 'No discrepancy is open.');
}

export type DiscrepancyLine = {
  id: string;
  subjectKind: string;
  subjectId: string;
  userId: string;
  handle: string;
  kind: string;
  providerRef: string | null;
  event: string;
  eventData: Record<string, unknown>;
  state: string;
  snapshotAt: Date;
  at: Date;
  resolvedAt: Date | null;
  resolution: string | null;
};

const discrepancies = (app: App, all: boolean, limit: number): Promise<DiscrepancyLine[]> =>
  app.db
    .selectFrom('discrepancies')
    .select([
      'id',
      'subject_kind as subjectKind',
      'subject_id as subjectId',
      'user_id as userId',
      'handle',
      'kind',
      'provider_ref as providerRef',
      'event',
      'event_data as eventData',
      'state',
      'snapshot_updated_at as snapshotAt',
      'occurred_at as at',
      'resolved_at as resolvedAt',
      'resolution',
    ])
    .$if(!all, (open) => open.where('resolved_at', 'is', null))
    .orderBy('occurred_at')
    .limit(limit)
    .execute();
