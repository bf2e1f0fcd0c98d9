// Lists the audit record, newest first: the changes that operators made, with reason and time, or every entry.
import type { OperatorsRecord } from '../../src/audit/operator.ts';
import { listAuditEvents } from '../../src/tables/ops/audit.ts';
import type { CommandSpec } from '../command.ts';
import { moment } from '../format.ts';
import { printList } from '../table.ts';

export const auditCommand: CommandSpec = {
  name: 'audit',
  summary: 'the changes that operators made, when and why, newest first',
  isList: true,
  options: { all: { summary: 'also refused sign-ins, ids and secrets, reveals and erasures' } },
  run: async ({ app, out, options, limit }) => {
    const isAll = options['all'] === true;
    const action = isAll ? '%' : 'operator.%';
    const rows = await listAuditEvents(app.db, { action, limit: limit + 1 });
    if (isAll)
      return printList({ out, limit }, rows, 'Nothing has been recorded yet.', [
        { title: 'row', of: ({ seq }) => String(seq), alignRight: true },
        { title: 'at', of: ({ at }) => moment(at) },
        { title: 'action', of: (row) => row.action },
        { title: 'user', of: ({ userId }) => userId ?? '' },
        { title: 'details', of: ({ details }) => textOf(details) },
      ]);
    const changes = rows.map(({ details, ...row }) => ({ ...row, ...(details as OperatorsRecord) }));
    printList({ out, limit }, changes, 'No operator has changed anything.', [
      { title: 'at', of: ({ at }) => moment(at) },
      { title: 'operator', of: ({ operator }) => operator },
      { title: 'action', of: (change) => change.action.replace(/^operator\./, '') },
      { title: 'target', of: ({ target }) => target },
      { title: 'reason', of: ({ reason }) => reason },
    ]);
  },
};

const textOf = (details: object): string =>
  Object.entries(details)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join(', ');
