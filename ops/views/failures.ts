// Lists work of every kind that has failed at least five times in a row.
import { listFailingWork } from '../../src/tables/backlog.ts';
import type { CommandSpec } from '../command.ts';
import { age } from '../format.ts';
import { printList } from '../table.ts';

export const failuresCommand: CommandSpec = {
  name: 'failures',
  summary: 'effects, callbacks, polls and nightly runs with five failures in a row or more',
  isList: true,
  run: async ({ app, out, limit }) => {
    const rows = await listFailingWork(app.db, { limit: limit + 1 });
    printList({ out, limit }, rows, 'No work keeps failing.', [
      { title: 'kind', of: ({ kind }) => kind },
      { title: 'id', of: ({ id }) => id },
      { title: 'about', of: ({ about }) => about },
      { title: 'failures', of: ({ failures }) => String(failures), alignRight: true },
      { title: 'next attempt', of: ({ dueAt }) => age(dueAt, out.now), alignRight: true },
      { title: 'last error', of: ({ lastError }) => lastError ?? '' },
    ]);
  },
};
