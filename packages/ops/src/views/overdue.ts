// Lists rows that have been in their state for longer than its limit. An event should have changed their state by then.
import { namesOf } from '../../../../src/jobs/reconciliation/unfinished.ts';
import { type Overdue, overdueRows } from '../../../../src/lifecycle/ages.ts';
import type { CommandCall, CommandSpec } from '../command.ts';
import { age, paintState, span } from '../format.ts';
import { type Column, printList } from '../table.ts';

export const overdueCommand: CommandSpec = {
  name: 'overdue',
  summary: 'rows that have been in their state for longer than its limit, oldest first',
  isList: true,
  run,
};

async function run({ app, out, limit }: CommandCall): Promise<void> {
  const columns: Column<Overdue>[] = [
    { title: 'lifecycle', of: ({ lifecycle, rail }) => [rail, namesOf[lifecycle]].filter(Boolean).join(' ') },
    { title: 'id', of: ({ id }) => id },
    { title: 'state', of: ({ state }) => state, paint: ({ state }, style) => paintState(state, style) },
    { title: 'since', of: ({ since }) => age(since, out.now), alignRight: true },
    { title: 'limit', of: ({ limitSeconds }) => span(limitSeconds * 1_000) || '0 s', alignRight: true },
    { title: 'user', of: ({ userId }) => userId },
  ];
  const rows = await overdueRows(app.db, app.clock.now(), limit + 1);
  printList({ out, limit }, columns, rows, 'No row has been in its state for longer than its limit.');
}
