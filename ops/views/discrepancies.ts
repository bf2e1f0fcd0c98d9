// Lists the discrepancies between the provider and our rows, and the items of the provider's lists that cannot be read. An operator
// decides about each of them.

import {
  listDiscrepancies,
  listFindings,
  listOpenDiscrepancies,
  listUnresolvedFindings,
} from '../../src/tables/ops/discrepancies.ts';
import type { Entity } from '../../src/tables/rows.ts';
import type { CommandSpec } from '../command.ts';
import { discrepancyText, findingText } from '../discrepancy-words.ts';
import { age } from '../format.ts';
import { printList } from '../table.ts';

export const discrepanciesCommand: CommandSpec = {
  name: 'discrepancies',
  summary: 'open discrepancies between the provider and our rows',
  isList: true,
  options: { all: { summary: 'also the resolved ones' } },
  run: async ({ app, out, options, limit }) => {
    const isAll = options['all'] === true;
    const atMost = { limit: limit + 1 };
    const [discrepancies, findings] = await Promise.all([
      (isAll ? listDiscrepancies : listOpenDiscrepancies)(app.db, atMost),
      (isAll ? listFindings : listUnresolvedFindings)(app.db, atMost),
    ]);
    const found = [...discrepancies.map(discrepancyLine), ...findings.map(findingLine)];
    const rows = found.toSorted((one, other) => one.at.getTime() - other.at.getTime());
    printList({ out, limit }, rows, 'No discrepancy is open.', [
      { title: 'discrepancy', of: ({ id }) => id },
      { title: 'kind', of: ({ kind }) => kind, paint: (_row, style) => style.red },
      { title: 'subject', of: (row) => [row.subjectKind, row.subjectId].filter(Boolean).join(' ') },
      { title: 'our state', of: ({ state }) => state ?? '' },
      { title: 'event', of: ({ event }) => event },
      { title: "the provider's id", of: ({ providerRef }) => providerRef ?? '' },
      { title: 'age', of: ({ snapshotAt }) => age(snapshotAt, out.now), alignRight: true },
      { title: 'what', of: ({ text }) => text },
      { title: 'resolved', of: ({ resolution }) => resolution ?? '' },
    ]);
  },
};

type Row = Awaited<ReturnType<typeof listDiscrepancies>>[number];

const discrepancyLine = ({ sourceCurrency, ...row }: Row) => ({
  ...row,
  text: discrepancyText(row, sourceCurrency),
});

/** An item that cannot be read has no row here, so its subject is the list that has it. */
const findingLine = (finding: Entity<'ListFinding'>) => ({
  id: finding.id,
  subjectKind: finding.list,
  subjectId: finding.accountRef,
  userId: null,
  handle: null,
  kind: finding.kind,
  providerRef: finding.providerRef,
  event: finding.kind,
  eventData: { reason: finding.reason, position: finding.position },
  text: findingText(finding),
  state: null,
  snapshotAt: finding.foundAt,
  at: finding.foundAt,
  resolvedAt: finding.resolvedAt,
  resolution: finding.resolution,
});
