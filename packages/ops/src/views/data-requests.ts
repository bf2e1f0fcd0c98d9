// Lists the open requests of data subjects by the date on which the answer is due, overdue ones first.
import { listDataRequests, listUnansweredRequests } from '../../../../src/platform/sql/ops/data-requests.ts';
import type { CommandCall, CommandSpec } from '../command.ts';
import { age } from '../format.ts';
import { type Column, printList } from '../table.ts';

export const dataRequestsCommand: CommandSpec = {
  name: 'data-requests',
  summary: 'open requests of data subjects, the most urgent first',
  isList: true,
  options: { all: { summary: 'also the closed ones' } },
  run,
};

const DAY_MS = 86_400_000;

type RequestLine = {
  id: string;
  userId: string;
  type: string;
  status: string;
  hasNotes: boolean;
  receivedAt: Date;
  dueAt: Date;
  closedAt: Date | null;
  /** The number of whole days until the answer is due; negative if it is overdue, null if the request is closed. */
  daysLeft: number | null;
};

async function run({ app, out, options, limit }: CommandCall): Promise<void> {
  const now = app.clock.now();
  const list = options['all'] === true ? listDataRequests : listUnansweredRequests;
  const rows = await list(app.db, { limit: limit + 1 });
  const lines = rows.map((row) => ({
    ...row,
    daysLeft: row.status === 'open' ? Math.floor((row.dueAt.getTime() - now.getTime()) / DAY_MS) : null,
  }));
  printList({ out, limit }, columnsAt(now), lines, 'No request is open.');
}

const columnsAt = (now: Date): Column<RequestLine>[] => [
  { title: 'request', of: ({ id }) => id },
  { title: 'user', of: ({ userId }) => userId },
  { title: 'type', of: ({ type }) => type },
  { title: 'notes', of: ({ hasNotes }) => (hasNotes ? 'yes' : '') },
  { title: 'received', of: ({ receivedAt }) => age(receivedAt, now), alignRight: true },
  { title: 'due', of: ({ dueAt }) => dueAt.toISOString().slice(0, 10) },
  {
    title: 'time left',
    of: (row) => timeLeft(row, now),
    alignRight: true,
    paint: ({ daysLeft }, style) => (daysLeft !== null && daysLeft < 0 ? style.red : (text: string) => text),
  },
];

function timeLeft({ closedAt, dueAt }: RequestLine, now: Date): string {
  if (closedAt !== null) return `closed ${age(closedAt, now)}`;
  return dueAt < now ? `overdue ${age(dueAt, now)}` : age(dueAt, now);
}
