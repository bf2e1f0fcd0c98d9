// Discrepancies between the provider and our rows, of which neither is right by itself, and what the provider's lists have
// that cannot be read. A person decides.
import type { App } from '../../app.ts';
import type { Call } from '../command.ts';
import { age, oneLine } from '../format.ts';
import { type Column, printList } from '../table.ts';

export async function run({ app, out, options, limit }: Call): Promise<void> {
  const columns: Column<DiscrepancyLine>[] = [
    { title: 'discrepancy', of: ({ id }) => id },
    { title: 'kind', of: ({ kind }) => kind, paint: (_row, style) => style.red },
    { title: 'subject', of: (row) => [row.subjectKind, row.subjectId].filter(Boolean).join(' ') },
    { title: 'our state', of: ({ state }) => state ?? '' },
    { title: 'event', of: ({ event }) => event },
    { title: "the provider's id", of: ({ providerRef }) => providerRef ?? '' },
    { title: 'age', of: ({ snapshotAt }) => age(snapshotAt, out.now), alignRight: true },
    { title: 'data', of: ({ eventData }) => oneLine(JSON.stringify(eventData)) },
    { title: 'resolved', of: ({ resolution }) => (resolution === null ? '' : oneLine(resolution)) },
  ];
  const isAll = options['all'] === true;
  const found = await Promise.all([discrepancies(app, isAll, limit + 1), findings(app, isAll, limit + 1)]);
  const rows = found.flat().toSorted((one, other) => one.at.getTime() - other.at.getTime());
  printList({ out, limit }, columns, rows.slice(0, limit + 1), 'No discrepancy is open.');
}

/** What cannot be read has no row of ours: its subject is the list that it stands in. */
export type DiscrepancyLine = {
  id: string;
  subjectKind: string;
  subjectId: string | null;
  userId: string | null;
  handle: string | null;
  kind: string;
  providerRef: string | null;
  event: string;
  eventData: Record<string, unknown>;
  state: string | null;
  snapshotAt: Date;
  at: Date;
  resolvedAt: Date | null;
  resolution: string | null;
};

const discrepancies = (app: App, isAll: boolean, limit: number): Promise<DiscrepancyLine[]> =>
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
    .$if(!isAll, (open) => open.where('resolved_at', 'is', null))
    .orderBy('occurred_at')
    .limit(limit)
    .execute();

async function findings(app: App, isAll: boolean, limit: number): Promise<DiscrepancyLine[]> {
  const rows = await app.db
    .selectFrom('list_findings')
    .selectAll()
    .$if(!isAll, (open) => open.where('resolved_at', 'is', null))
    .orderBy('found_at')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    subjectKind: row.list,
    subjectId: row.account_ref,
    userId: null,
    handle: null,
    kind: row.kind,
    providerRef: row.provider_ref,
    event: row.kind,
    eventData: { reason: row.reason, position: row.position },
    state: null,
    snapshotAt: row.found_at,
    at: row.found_at,
    resolvedAt: row.resolved_at,
    resolution: row.resolution,
  }));
}
