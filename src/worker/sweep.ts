// Looks again at what has not come to its end: a lost callback costs seconds, not a night.
import { sql } from 'kysely';
import type { App } from '../app.ts';
import { nextCheckAt } from '../lifecycle/poll-schedule.ts';
import { refetch } from '../lifecycle/refetch.ts';
import { isUnsent, ProviderUnknown } from '../provider/errors.ts';

const AT_ONCE = 100;
const AGAIN_AFTER_MS = 10_000;

/** Queues a check for every resource whose time has come. Any number of processes may do this at once. */
export async function queueDueChecks(app: App): Promise<void> {
  const now = app.clock.now();
  await app.db.transaction().execute(async (tx) => {
    const due = await tx
      .selectFrom('provider_resources')
      .select(['handle', 'checks'])
      .where('check_at', '<=', now)
      .orderBy('check_at')
      .limit(AT_ONCE)
      .forNoKeyUpdate()
      .skipLocked()
      .execute();
    for (const { handle, checks } of due) {
      await tx
        .updateTable('provider_resources')
        .set({ checks: checks + 1, check_at: nextCheckAt(checks + 1, now) })
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
  const resource = await app.db
    .selectFrom('provider_resources')
    .selectAll()
    .where('handle', '=', handle)
    .executeTakeFirst();
  if (!resource || resource.check_at === null) return;
  try {
    await refetch(app, resource, { kind: 'job', id: `check:${handle}` });
  } catch (error) {
    if (!(error instanceof ProviderUnknown)) throw error;
    if (isUnsent(error)) return lookAgainSoon(app, resource);
    app.log.warn({ error, resource: resource.kind, checks: resource.checks }, 'check without an answer');
  }
}

/** A look that was turned away was none: the next one must not be an hour away when the provider is back. */
async function lookAgainSoon(
  app: App,
  { handle, checks }: { handle: string; checks: number },
): Promise<void> {
  await app.db
    .updateTable('provider_resources')
    .set({ checks: Math.max(0, checks - 1), check_at: new Date(app.clock.now().getTime() + AGAIN_AFTER_MS) })
    .where('handle', '=', handle)
    .where('check_at', 'is not', null)
    .execute();
}
