// Lists stuck effects: their last error, when they are due, and whether a process is running them.
import { listStuckEffects, type StuckEffect } from '../../../../src/platform/sql/ops/effects.ts';
import type { CommandCall, CommandSpec } from '../command.ts';
import { age, paintState } from '../format.ts';
import { type Column, printList } from '../table.ts';

export const effectsCommand: CommandSpec = {
  name: 'effects',
  summary: 'effects that are stuck: three attempts, five minutes old, or exhausted',
  isList: true,
  run,
};

const MANY_ATTEMPTS = 3;
const OLD_MS = 5 * 60_000;

async function run({ app, out, limit }: CommandCall): Promise<void> {
  const columns: Column<StuckEffect>[] = [
    { title: 'effect', of: ({ id }) => id },
    { title: 'type', of: ({ type }) => type },
    { title: 'status', of: ({ status }) => status, paint: ({ status }, style) => paintState(status, style) },
    { title: 'outbox', of: ({ outbox }) => outbox, paint: ({ outbox }, style) => paintState(outbox, style) },
    { title: 'age', of: ({ orderedAt }) => age(orderedAt, out.now), alignRight: true },
    { title: 'attempts', of: ({ attempts }) => String(attempts), alignRight: true },
    { title: 'due', of: ({ dueAt }) => age(dueAt, out.now), alignRight: true },
    { title: 'subject', of: (row) => `${row.subjectKind} ${row.subjectId}` },
    { title: 'last error', of: ({ lastError }) => lastError ?? '' },
  ];
  const rows = await listStuckEffects(app.db, {
    manyAttempts: MANY_ATTEMPTS,
    orderedBefore: new Date(out.now.getTime() - OLD_MS),
    limit: limit + 1,
  });
  printList({ out, limit }, columns, rows, 'No effect is stuck.');
}
