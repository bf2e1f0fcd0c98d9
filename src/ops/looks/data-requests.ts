// Data subjects' requests that are open, by the date they must be answered.
import type { Call } from '../command.ts';
import { age } from '../format.ts';
import { type Column, printList } from '../table.ts';

type RequestLine = { id: string; userId: string; type: string; receivedAt: Date; dueAt: Date };

export async function run({ app, out, limit }: Call): Promise<void> {
  const columns: Column<RequestLine>[] = [
    { title: 'request', of: ({ id }) => id },
    { title: 'user', of: ({ userId }) => userId },
    { title: 'wants', of: ({ type }) => type },
    { title: 'received', of: ({ receivedAt }) => age(receivedAt, out.now), isFigure: true },
    {
      title: 'due',
      of: ({ dueAt }) => (dueAt < out.now ? 'overdue' : age(dueAt, out.now)),
      isFigure: true,
      paint: ({ dueAt }, style) => (dueAt < out.now ? style.red : (text) => text),
    },
  ];
  const rows: RequestLine[] = await app.db
    .selectFrom('data_requests')
    .select(['id', 'user_id as userId', 'type', 'received_at as receivedAt', 'due_at as dueAt'])
    .where('status', '=', 'open')
    .orderBy('due_at')
    .limit(limit + 1)
    .execute();
  printList({ out, limit }, columns, rows, 'No request is open.');
}
