// Lists the audit record, newest first: the changes that operators made, with reason and time, or every entry.
import type { OperatorsRecord } from '../../../../src/platform/security/audit-operator.ts';
import { listAuditEvents } from '../../../../src/platform/sql/ops/audit.ts';
import type { CommandCall, CommandSpec } from '../command.ts';
import { moment, oneLine } from '../format.ts';
import { type Column, printList } from '../table.ts';

export const auditCommand: CommandSpec = {
  name: 'audit',
  summary: 'the changes that operators made, when and why, newest first',
  isList: true,
  options: { all: { summary: 'also refused sign-ins, ids and secrets, reveals and erasures' } },
  run,
};

type Entry = { seq: number; id: string; at: Date; action: string; userId: string | null; details: object };
type AuditLine = Omit<Entry, 'details'> & OperatorsRecord;

async function run({ app, out, options, limit }: CommandCall): Promise<void> {
  const isAll = options['all'] === true;
  const action = isAll ? '%' : 'operator.%';
  const rows: Entry[] = await listAuditEvents(app.db, { action, limit: limit + 1 });
  if (isAll) return printList({ out, limit }, allColumns, rows, 'Nothing has been recorded yet.');
  const lines = rows.map(({ details, ...row }) => ({ ...row, ...(details as OperatorsRecord) }));
  printList({ out, limit }, changeColumns, lines, 'No operator has changed anything.');
}

const changeColumns: Column<AuditLine>[] = [
  { title: 'at', of: ({ at }) => moment(at) },
  { title: 'operator', of: ({ operator }) => oneLine(operator) },
  { title: 'action', of: ({ action }) => action.replace(/^operator\./, '') },
  { title: 'target', of: ({ target }) => oneLine(target) },
  { title: 'reason', of: ({ reason }) => oneLine(reason) },
];

const allColumns: Column<Entry>[] = [
  { title: 'row', of: ({ seq }) => String(seq), alignRight: true },
  { title: 'at', of: ({ at }) => moment(at) },
  { title: 'action', of: ({ action }) => action },
  { title: 'user', of: ({ userId }) => userId ?? '' },
  {
    title: 'details',
    of: ({ details }) =>
      Object.entries(details)
        .map(([name, value]) => oneLine(`${name}: ${String(value)}`))
        .join(', '),
  },
];
