// Moves callbacks to another webhook secret: sets the new address on every resource of the provider that may still send callbacks.
// Each row stores the secret that it was moved to, so an interrupted pass continues with the remaining rows.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../src/domain/clock.ts';
import { CONTESTABLE_FOR_MS } from '../src/domain/contestations.ts';
import { NIL_UUID } from '../src/domain/ids.ts';
import { sumOf } from '../src/jobs/counters.ts';
import type { DatabaseClock, DatabaseTime } from '../src/platform/database/database-time.ts';
import { inDbTransaction } from '../src/platform/database/db-transaction.ts';
import { OutcomeUnknown } from '../src/provider/errors.ts';
import type { CalledBack, Provider } from '../src/provider/port.ts';
import { isNotFound, withRetries } from '../src/provider/with-retries.ts';
import type { Config } from '../src/start/config.ts';
import { lockRun, saveRunsCounts } from '../src/tables/job-runs/statements.ts';
import type { Db } from '../src/tables/orm.ts';
import {
  countCallbacksToBeMoved,
  listCallbacksToBeMoved,
  setCallbackSecret,
} from '../src/tables/provider-resources/statements.ts';
import { ROTATION_JOB } from '../src/tables/webhook-secrets/statements.ts';
import { callbackUrl } from '../src/webhooks/secrets.ts';

const PAGE_SIZE = 200;
const CONCURRENCY = 5;
const DAY_MS = 24 * 60 * 60_000;
/**
 * A final payout whose last snapshot is older than this sends no more callbacks. Banks return payments within days, but a payout can be
 * contested for 80 days, and is then decided within 30.
 */
const MAY_COME_BACK_MS = CONTESTABLE_FOR_MS + 30 * DAY_MS;

export type Moved = { moved: number; gone: number; failed: number };

export type MoveOptions = {
  secretId: string;
  secret: string;
  perSecond: number;
  onProgress?: (moved: Moved) => void;
  signal?: AbortSignal;
};

type Target = { kind: CalledBack; ref: string };

/** Moves the callbacks of all resources that were created before the call. A further call moves those created in the meantime. */
export async function moveCallbacks(
  {
    db,
    provider,
    clock,
    databaseClock,
    config,
  }: { db: Db; provider: Provider; clock: Clock; databaseClock: DatabaseClock; config: Config },
  options: MoveOptions,
): Promise<Moved> {
  const { signal, onProgress } = options;
  const begunAt = clock.now();
  const url = callbackUrl(config.publicBaseUrl, options.secret);
  const pace = pacer(options.perSecond);
  const total: Moved = { moved: 0, gone: 0, failed: 0 };
  let after = NIL_UUID;
  for (;;) {
    const page = await listCallbacksToBeMoved(db, {
      secretId: options.secretId,
      payoutsSince: payoutsSince(await databaseClock.now(db)),
      after,
      createdUntil: begunAt,
      limit: PAGE_SIZE,
    });
    const before = { ...total };
    const done: string[] = [];
    const waiting = [...page];
    const lane = async (): Promise<void> => {
      for (let target = waiting.shift(); target && !signal?.aborted; target = waiting.shift()) {
        await pace();
        const outcome = await move(provider, target, url, signal);
        total[outcome] += 1;
        if (outcome !== 'failed') done.push(target.handle);
        onProgress?.(total);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, lane));
    await saveProgress({ db, clock }, options.secretId, done, difference(total, before));
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_SIZE || signal?.aborted) return total;
    after = last.handle;
  }
}

async function move(
  provider: Provider,
  { kind, ref }: Target,
  url: string,
  signal: AbortSignal | undefined,
): Promise<keyof Moved> {
  try {
    await withRetries(() => provider.setCallbackUrl(kind, ref, url), signal);
    return 'moved';
  } catch (error) {
    // A resource that the provider no longer knows sends no callbacks.
    if (isNotFound(error)) return 'gone';
    if (!(error instanceof OutcomeUnknown) && !signal?.aborted) throw error;
    return 'failed';
  }
}

/** Counts the resources whose callbacks still use another secret. */
export const countToBeMoved = async (
  { db, databaseClock }: { db: Db; databaseClock: DatabaseClock },
  secretId: string,
): Promise<number> => {
  const since = payoutsSince(await databaseClock.now(db));
  return (await countCallbacksToBeMoved(db, { secretId, payoutsSince: since }))?.count ?? 0;
};

const payoutsSince = (now: DatabaseTime): DatabaseTime => now.plus(-MAY_COME_BACK_MS);

/** Saves the progress of a page in the run that `status` shows. It does not finish the run: only the command ends a rotation. */
async function saveProgress(
  { db, clock }: { db: Db; clock: Clock },
  secretId: string,
  done: string[],
  counts: Moved,
): Promise<void> {
  const now = clock.now();
  await inDbTransaction(db, async (tx) => {
    await setCallbackSecret(tx, { handles: done, secretId });
    const run = await lockRun(tx, { job: ROTATION_JOB, run: secretId });
    const sum = JSON.stringify(sumOf(run?.counts ?? {}, counts));
    await saveRunsCounts(tx, { job: ROTATION_JOB, run: secretId, counts: sum, now });
  });
}

const difference = (total: Moved, before: Moved): Moved => ({
  moved: total.moved - before.moved,
  gone: total.gone - before.gone,
  failed: total.failed - before.failed,
});

/** Returns a function whose promises resolve at most `perSecond` times per second. */
function pacer(perSecond: number): () => Promise<void> {
  let nextAt = 0;
  return async () => {
    const now = performance.now();
    const at = Math.max(now, nextAt);
    nextAt = at + 1_000 / perSecond;
    if (at > now) await sleep(at - now);
  };
}
