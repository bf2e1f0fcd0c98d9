// Lists stuck effects: their last error, when they are due, and whether a process is running them.
import { listStuckEffects } from '../../src/tables/ops/effects.ts';
import type { CommandSpec } from '../command.ts';
import { age } from '../format.ts';
import { printList, stateColumn } from '../table.ts';

const MANY_ATTEMPTS = 3;
const OLD_MS = 5 * 60_000;

export const effectsCommand: CommandSpec = {
  name: 'effects',
  summary: 'effects that are stuck: three attempts, five minutes old, or exhausted',
  isList: true,
  run: async ({ app, out, limit }) => {
    const orderedBefore = new Date(out.now.getTime() - OLD_MS);
    const parameters = { manyAttempts: MANY_ATTEMPTS, orderedBefore, limit: limit + 1 };
    printList({ out, limit }, await listStuckEffects(app.db, parameters), 'No effect is stuck.', [
      { title: 'effect', of: ({ id }) => id },
      { title: 'type', of: ({ type }) => type },
      stateColumn('status', ({ status }) => status),
      stateColumn('outbox', ({ outbox }) => outbox),
      { title: 'age', of: ({ orderedAt }) => age(orderedAt, out.now), alignRight: true },
      { title: 'attempts', of: ({ attempts }) => String(attempts), alignRight: true },
      { title: 'due', of: ({ dueAt }) => age(dueAt, out.now), alignRight: true },
      { title: 'subject', of: (row) => `${row.subjectKind} ${row.subjectId}` },
      { title: 'last error', of: ({ lastError }) => lastError ?? '' },
    ]);
  },
};
