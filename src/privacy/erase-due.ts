// Erases the users who closed their account six years ago. A user who still has money, or cannot be erased, is left for
// another night and does not delay the others.
import type { App } from '../app.ts';
import { count, skip } from '../batch/counters.ts';
import { forEach, nextAfter, type PagePosition, type PageResult, type StageContext } from '../batch/stage.ts';
import { erasePerson } from './erase-person.ts';

const PAGE_SIZE = 50;

export async function eraseDue(context: StageContext, { after }: PagePosition): Promise<PageResult> {
  const people = await dueAfter(context.app, after);
  await forEach(
    context,
    'people',
    people,
    ({ id }) => id,
    ({ id }) => erase(context, id),
  );
  return { next: nextAfter(people, PAGE_SIZE, markOf) };
}

async function erase({ app, cause, counters }: StageContext, id: string): Promise<void> {
  const outcome = await erasePerson(app, id, cause);
  if (outcome === 'not_due') return;
  if (outcome === 'erased') return count(counters, 'people erased');
  const why = { under_way: 'money under way', holds_money: 'money left', moved: 'money moved' }[outcome];
  count(counters, `people kept: ${why}`);
  skip(counters, { id, why });
}

type Due = { id: string; dueAt: Date };

/** Those who have been due the longest first. */
const dueAfter = ({ db, clock }: App, mark: string | null): Promise<Due[]> => {
  const [at = null, id = null] = mark?.split(' ') ?? [];
  return db
    .selectFrom('users')
    .select(['id', 'hard_deletion_due_at as dueAt'])
    .$narrowType<{ dueAt: Date }>()
    .where('hard_deletion_due_at', '<=', clock.now())
    .$if(at !== null, (all) =>
      all.where((is) =>
        is(is.refTuple('hard_deletion_due_at', 'id'), '>', is.tuple(new Date(at ?? 0), id ?? '')),
      ),
    )
    .orderBy('hard_deletion_due_at')
    .orderBy('id')
    .limit(PAGE_SIZE)
    .execute();
};

const markOf = ({ id, dueAt }: Due): string => `${dueAt.toISOString()} ${id}`;
