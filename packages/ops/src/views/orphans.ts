// Lists the provider's resources that have no row here after the database was restored from an older backup.
import { runInBackground } from '../../../../src/provider/call-priority.ts';
import type { CommandCall, CommandSpec } from '../command.ts';
import { age, amount } from '../format.ts';
import { findOrphans } from '../orphans.ts';
import type { Orphan } from '../recovery/recovery.ts';
import { type Column, printList } from '../table.ts';

export const recoveryListCommand: CommandSpec = {
  name: 'recovery list',
  summary: 'after an older backup was restored: resources of the provider without a row here',
  isList: true,
  options: {
    'known-ids': {
      placeholder: '<id,...>',
      summary: 'ids of ours, from logs or screens, to match them with',
    },
  },
  run,
};

async function run(call: CommandCall): Promise<void> {
  const { out, limit } = call;
  const orphans = await runInBackground(() => findOrphans(call, { limit: limit + 1 }));
  const columns: Column<Orphan>[] = [
    { title: 'at the provider', of: ({ providerRef }) => providerRef },
    { title: 'what', of: ({ kind }) => kind },
    { title: 'changed', of: ({ at }) => age(at, out.now), alignRight: true },
    {
      title: 'took',
      of: (one) => (one.currency ? amount(one.amountMinor, one.currency) : ''),
      alignRight: true,
    },
    {
      title: 'parts',
      of: ({ parts }) => parts.map(({ purpose, status }) => `${purpose} ${status}`).join(', '),
    },
    { title: 'user', of: ({ match }) => match.userId ?? 'unknown' },
    { title: 'becomes', of: ({ match }) => match.becomes ?? match.why ?? '' },
  ];
  printList(call, columns, orphans, 'Every resource of the provider has its row here.');
}
