// What operators changed: who, what, when and why, newest first.
import type { OperatorsRecord } from '../../commands/audit.ts';
import type { Call } from '../command.ts';
import { moment, oneLine } from '../format.ts';
import { type Column, printList } from '../table.ts';

type AuditLine = { id: string; at: Date; action: string } & OperatorsRecord;

export async function run({ app, out, limit }: Call): Promise<void> {
  const columns: Column<AuditLine>[] = [
    { title: 'at', of: ({ at }) => moment(at) },
    { title: 'operator', of: ({ operator }) => oneLine(operator) },
    { title: 'did', of: ({ action }) => action.replace(/^operator\./, '') },
    { title: 'to', of: ({ target }) => oneLine(target) },
    { title: 'because', of: ({ reason }) => oneLine(reason) },
  ];
  const rows = await app.db
    .selectFrom('audit_events')
    .select(['id', 'at', 'action', 'details'])
    .where('action', 'like', 'operator.%')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute();
  const lines = rows.map(({ details, ...row }) => ({ ...row, ...(details as OperatorsRecord) }));
  printList({ out, limit }, columns, lines, 'No operator has changed anything.');
}
