// Looks again at what has not come to its end: a lost callback costs seconds, not a night.
import { sql } from 'kysely';
import type { App } from '../app.ts';
import { byEntity } from '../database/by-entity.ts';
import { isUnsent, OutcomeUnknown } from '../provider/errors.ts';
import { scheduledPollAt } from '../snapshots/poll-schedule.ts';
import { refetch } from '../snapshots/refetch.ts';

const AT_ONCE = 100;
const AGAIN_AFTER_MS = 10_000;

/** Queues a check for every resource whose time has come. Any number of processes may do this at once. */
export async function queueDueChecks(app: App): Promise<void> {
  const now = app.clock.now();
  await app.db.transaction().execute(async (tx) => {
    const due = await tx
      .selectFrom('provider_resources')
      .select(['handle', 'poll_count'])
      .where('next_poll_at', '<=', now)
      .orderBy('next_poll_at')
      .limit(AT_ONCE)
      .forNoKeyUpdate()
      .skipLocked()
      .execute();
    for (const { handle, poll_count } of due) {
      await tx
        .updateTable('provider_resources')
        .set({ poll_count: poll_count + 1, next_poll_at: scheduledPollAt(poll_count + 1, now) })
        .where('handle', '=', handle)
        .execute();
      await sql`select graphile_worker.add_job(
        'checkResource', json_build_object('handle', ${handle}::uuid), job_key := ${`check:${handle}`}
      )`.execute(tx);
    }
  });
}

/** Fetches one resource and applies what it says. Failing costs nothing: the next check is already due. */
export async function checkResource(app: App, handle: string): Promise<void> {
  const resource = await byEntity(app.db)
    .selectFrom('ProviderResource')
    .selectAll()
    .where('handle', '=', handle)
    .executeTakeFirst();
  if (!resource || resource.nextPollAt === null) return;
  try {
    await refetch(app, resource, { kind: 'job', id: `check:${handle}` });
  } catch (error) {
    if (!(error instanceof OutcomeUnknown)) throw error;
    if (isUnsent(error)) return lookAgainSoon(app, resource);
    app.log.warn(
      {
        code: 'resource.poll_unanswered',
        error,
        resource: resource.kind,
        handle,
        pollCount: resource.pollCount,
      },
      'the poll of a resource had no usable answer',
    );
  }
}

/** A look that was turned away was none: the next one must not be an hour away when the provider is back. */
async function lookAgainSoon(
  app: App,
  { handle, pollCount }: { handle: string; pollCount: number },
): Promise<void> {
  await app.db
    .updateTable('provider_resources')
    .set({
      poll_count: Math.max(0, pollCount - 1),
      next_poll_at: new Date(app.clock.now().getTime() + AGAIN_AFTER_MS),
    })
    .where('handle', '=', handle)
    .where('next_poll_at', 'is not', null)
    .execute();
}
