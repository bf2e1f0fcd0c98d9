// The kinds of effect that operators hold back: a job of such a kind is not run when its turn comes, but parked. It goes on
// when its kind does, or else is looked at again after a while.
import type { Job } from 'graphile-worker';
import type { App } from '../app.ts';
import { countLostAttempt } from '../effects/run.ts';
import { scheduleEffect } from '../outbox/enqueue.ts';
import { PAUSES_KNOWN_FOR_MS } from '../outbox/paused-effects.ts';

/** Resuming a kind frees its jobs at once: this is for those that nobody has freed. */
const PARKED_FOR_MS = 60 * 60_000;

type EffectJob = Pick<Job, 'flags' | 'attempts'>;

/** @returns what parks a job if its kind is held back, and says whether it did. */
export function createHeldBack(app: App): (effectId: string, job: EffectJob) => Promise<boolean> {
  const pauses = rememberPauses(app);
  return async (effectId, { flags, attempts }) => {
    const paused = await pauses();
    const type = Object.keys(flags ?? {}).find((flag) => paused.has(flag));
    if (type === undefined) return false;
    // Parked, it is a new job, which knows nothing of a worker that died over this one.
    if (attempts > 1) await countLostAttempt(app, { id: effectId });
    return park(app, effectId, type);
  };
}

/** What is remembered may be over by now. The lock makes whoever resumes wait, and see what was parked before. */
const park = (app: App, effectId: string, type: string): Promise<boolean> =>
  app.db.transaction().execute(async (tx) => {
    const pause = await tx
      .selectFrom('effect_pauses')
      .select('type')
      .where('type', '=', type)
      .forShare()
      .executeTakeFirst();
    if (pause) await scheduleEffect(tx, { id: effectId, type, delayMs: PARKED_FOR_MS });
    return pause !== undefined;
  });

/** The table is read once a second; while it cannot be read, no effect is run. */
function rememberPauses(app: App): () => Promise<Set<string>> {
  let known: Promise<Set<string>> | null = null;
  let knownUntil = 0;
  return () => {
    const now = performance.now();
    if (known === null || now > knownUntil) {
      knownUntil = now + PAUSES_KNOWN_FOR_MS;
      known = app.db
        .selectFrom('effect_pauses')
        .select('type')
        .execute()
        .then((rows) => new Set(rows.map(({ type }) => type)));
      known.catch(() => {
        known = null;
      });
    }
    return known;
  };
}
