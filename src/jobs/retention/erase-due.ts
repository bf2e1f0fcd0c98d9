// Erases the users who closed their account six years ago. A user who still has money or cannot be erased is skipped until the next
// night, without delaying the others.

import type { Clock } from '../../domain/clock.ts';
import { NIL_UUID } from '../../domain/ids.ts';
import type { Db } from '../../platform/database/orm.ts';
import { listDueUsers } from '../../platform/sql/users.ts';
import { erasePerson } from '../../privacy/erase-person.ts';
import { count, skip } from '../counters.ts';
import { forEach, nextAfter, type PagePosition, type PageResult, type StageContext } from '../stage.ts';

const PAGE_SIZE = 50;

export async function eraseDue(context: StageContext, { after }: PagePosition): Promise<PageResult> {
  const people = await dueAfter(context, after);
  await forEach(
    context,
    'people',
    people,
    ({ id }) => id,
    ({ id }) => erase(context, id),
  );
  return { next: nextAfter(people, PAGE_SIZE, markOf) };
}

async function erase(context: StageContext, id: string): Promise<void> {
  const { cause, counters } = context;
  const outcome = await erasePerson(context, id, cause);
  if (outcome === 'not_due') return;
  if (outcome === 'erased') return count(counters, 'people erased');
  const why = { under_way: 'money under way', holds_money: 'money left', moved: 'money moved' }[outcome];
  count(counters, `people kept: ${why}`);
  skip(counters, { id, why });
}

type Due = { id: string; dueAt: Date };

/** The position before the first user: a due time and an id. Every time is after `-infinity`. */
const BEGINNING = `-infinity ${NIL_UUID}`;

const dueAfter = ({ db, clock }: { db: Db; clock: Clock }, mark: string | null): Promise<Due[]> => {
  const [afterDueAt = '', afterId = ''] = (mark ?? BEGINNING).split(' ');
  return listDueUsers(db, { until: clock.now(), afterDueAt, afterId, limit: PAGE_SIZE });
};

const markOf = ({ id, dueAt }: Due): string => `${dueAt.toISOString()} ${id}`;
