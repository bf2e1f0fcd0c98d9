// Lists the provider's resources that have no row here after the database was restored from an older backup.
import type { CommandSpec } from '../command.ts';
import { age, amount } from '../format.ts';
import { findOrphans, knownIdsOption } from '../orphans.ts';
import { printList } from '../table.ts';

export const recoveryListCommand: CommandSpec = {
  name: 'recovery list',
  summary: 'after an older backup was restored: resources of the provider without a row here',
  isList: true,
  options: knownIdsOption,
  run: async (call) => {
    const { out, limit } = call;
    const orphans = await findOrphans(call, { limit: limit + 1 });
    printList(call, orphans, 'Every resource of the provider has its row here.', [
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
    ]);
  },
};
