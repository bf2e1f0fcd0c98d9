// Lists the open requests of data subjects by the date on which the answer is due, overdue ones first.
import { listDataRequests, listUnansweredRequests } from '../../src/tables/ops/data-requests.ts';
import type { CommandSpec } from '../command.ts';
import { age } from '../format.ts';
import { printList } from '../table.ts';

const DAY_MS = 86_400_000;

export const dataRequestsCommand: CommandSpec = {
  name: 'data-requests',
  summary: 'open requests of data subjects, the most urgent first',
  isList: true,
  options: { all: { summary: 'also the closed ones' } },
  run: async ({ app, out, options, limit }) => {
    const now = app.clock.now();
    const list = options['all'] === true ? listDataRequests : listUnansweredRequests;
    const rows = await list(app.db, { limit: limit + 1 });
    const lines = rows.map((row) => {
      const days = Math.floor((row.dueAt.getTime() - now.getTime()) / DAY_MS);
      /** The number of whole days until the answer is due; negative if it is overdue, null if the request is closed. */
      return { ...row, daysLeft: row.status === 'open' ? days : null };
    });
    printList({ out, limit }, lines, 'No request is open.', [
      { title: 'request', of: ({ id }) => id },
      { title: 'user', of: ({ userId }) => userId },
      { title: 'type', of: ({ type }) => type },
      { title: 'notes', of: ({ hasNotes }) => (hasNotes ? 'yes' : '') },
      { title: 'received', of: ({ receivedAt }) => age(receivedAt, now), alignRight: true },
      { title: 'due', of: ({ dueAt }) => dueAt.toISOString().slice(0, 10) },
      {
        title: 'time left',
        of: ({ closedAt, dueAt }) => {
          if (closedAt !== null) return `closed ${age(closedAt, now)}`;
          return dueAt < now ? `overdue ${age(dueAt, now)}` : age(dueAt, now);
        },
        alignRight: true,
        paint: ({ daysLeft }, style) => (daysLeft !== null && daysLeft < 0 ? style.red : (text) => text),
      },
    ]);
  },
};
