// Lists rows that have been in their state for longer than its limit. An event should have changed their state by then.
import { namesOf } from '../../src/jobs/reconciliation/unfinished.ts';
import { overdueRows } from '../../src/lifecycle/ages.ts';
import type { CommandSpec } from '../command.ts';
import { age, span } from '../format.ts';
import { printList, stateColumn } from '../table.ts';

export const overdueCommand: CommandSpec = {
  name: 'overdue',
  summary: 'rows that have been in their state for longer than its limit, oldest first',
  isList: true,
  isForSupport: true,
  run: async ({ app, out, limit }) => {
    const rows = await overdueRows(app.db, app.clock.now(), limit + 1);
    printList({ out, limit }, rows, 'No row has been in its state for longer than its limit.', [
      { title: 'lifecycle', of: (row) => [row.rail, namesOf[row.lifecycle]].filter(Boolean).join(' ') },
      { title: 'id', of: ({ id }) => id },
      stateColumn('state', ({ state }) => state),
      { title: 'since', of: ({ since }) => age(since, out.now), alignRight: true },
      { title: 'limit', of: (row) => span(row.limitSeconds * 1_000) || '0 s', alignRight: true },
      { title: 'user', of: ({ userId }) => userId },
    ]);
  },
};
