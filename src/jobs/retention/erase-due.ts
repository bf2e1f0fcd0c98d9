// Erases the users who closed their account six years ago. A user who still has money or cannot be erased is skipped until the next
// night, without delaying the others.

import { eraseUser } from '../../privacy/erase-user.ts';
import { listDueUsers } from '../../tables/users/statements.ts';
import { count, keep } from '../counters.ts';
import {
  forEach,
  nextAfter,
  type PagePosition,
  type PageResult,
  placeOf,
  readPlace,
  type StageContext,
} from '../stage.ts';

const PAGE_SIZE = 50;

export async function eraseDue(context: StageContext, { after }: PagePosition): Promise<PageResult> {
  const { time: afterDueAt, id: afterId } = readPlace(after);
  const users = await listDueUsers(context.db, {
    until: context.now,
    afterDueAt,
    afterId,
    limit: PAGE_SIZE,
  });
  await forEach(context, 'people', users, ({ id }) => erase(context, id));
  return { next: nextAfter(users, PAGE_SIZE, ({ id, dueAt }) => placeOf(dueAt, id)) };
}

async function erase(context: StageContext, id: string): Promise<void> {
  const { cause, counters } = context;
  const outcome = await eraseUser(context, id, cause);
  if (outcome === 'not_due') return;
  if (outcome === 'erased') return count(counters, 'people erased');
  const why = { under_way: 'money under way', holds_money: 'money left', moved: 'money moved' }[outcome];
  count(counters, `people kept: ${why}`);
  keep(counters.skipped, [{ id, why }]);
}
