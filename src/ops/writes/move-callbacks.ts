// Moves callbacks to another webhook secret: every resource of the provider that may still call back is given the new address.
// Each row keeps the secret that it was moved to, so a walk that was interrupted continues with the remaining rows.
import { setTimeout as sleep } from 'node:timers/promises';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { unfinished } from '../../../machines/states.ts';
import type { App } from '../../app.ts';
import { sumOf } from '../../batch/counters.ts';
import { inTransaction } from '../../database/transaction.ts';
import { NIL_UUID } from '../../domain/ids.ts';
import { OutcomeUnknown } from '../../provider/errors.ts';
import type { Snapshot } from '../../provider/port.ts';
import { isNotFound, withRetries } from '../../provider/with-retries.ts';
import { ROTATION_JOB } from '../../sql/webhook-secrets.ts';
import { callbackUrl } from '../../webhooks/secrets.ts';

const PAGE_SIZE = 200;
const CONCURRENCY = 5;
/** Banks return a payment within days; nothing changes any more after so long. */
const MAY_COME_BACK_MS = 30 * 24 * 60 * 60_000;

export type Moved = { moved: number; gone: number; failed: number };

export type MoveOptions = {
  /** Of the new secret. */
  secretId: string;
  secret: string;
  perSecond: number;
  onProgress?: (moved: Moved) => void;
  signal?: AbortSignal;
};

type Target = { handle: string; kind: Snapshot['kind']; ref: string };

/** Walks over the resources that were created before now; the next walk takes those created meanwhile. */
export async function moveCallbacks(app: App, options: MoveOptions): Promise<Moved> {
  const { signal, onProgress } = options;
  const begunAt = app.clock.now();
  const url = callbackUrl(app.config.publicBaseUrl, options.secret);
  const pace = pacer(options.perSecond);
  const total: Moved = { moved: 0, gone: 0, failed: 0 };
  let after = NIL_UUID;
  for (;;) {
    const page = await pageOf(app, options.secretId, begunAt, after);
    const before = { ...total };
    const done: string[] = [];
    const waiting = [...page];
    const lane = async (): Promise<void> => {
      for (let target = waiting.shift(); target && !signal?.aborted; target = waiting.shift()) {
        await pace();
        const outcome = await move(app, target, url, signal);
        total[outcome] += 1;
        if (outcome !== 'failed') done.push(target.handle);
        onProgress?.(total);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, lane));
    const isLast = page.length < PAGE_SIZE && !signal?.aborted;
    await saveProgress(app, options.secretId, done, difference(total, before));
    const last = page.at(-1);
    if (last === undefined || isLast || signal?.aborted) return total;
    after = last.handle;
  }
}

async function move(
  app: App,
  { kind, ref }: Target,
  url: string,
  signal: AbortSignal | undefined,
): Promise<keyof Moved> {
  try {
    await withRetries(() => app.provider.setCallbackUrl(kind, ref, url), signal);
    return 'moved';
  } catch (error) {
    // A resource that the provider no longer has sends no callbacks.
    if (isNotFound(error)) return 'gone';
    if (!(error instanceof OutcomeUnknown) && !signal?.aborted) throw error;
    return 'failed';
  }
}

async function pageOf(app: App, secretId: string, before: Date, after: string): Promise<Target[]> {
  const { rows } = await sql<Target>`
    select handle, kind, provider_ref as ref from provider_resources resource
    where handle > ${after} and ${isToBeMoved(app, secretId)} and created_at <= ${before}
    order by handle limit ${PAGE_SIZE}
  `.execute(app.db);
  return rows;
}

/** How many resources still call back under another secret. */
export async function countToBeMoved(app: App, secretId: string): Promise<number> {
  const { rows } = await sql<{ many: number }>`
    select count(*) as many from provider_resources resource where ${isToBeMoved(app, secretId)}
  `.execute(app.db);
  return rows[0]?.many ?? 0;
}

/** An account may always call back; the others until they have ended, a payout for a month more. */
const isToBeMoved = ({ clock }: App, secretId: string): RawBuilder<SqlBool> => sql<SqlBool>`(
  resource.provider_ref is not null
  and resource.callback_secret_id is distinct from ${secretId}::uuid
  and (
    resource.kind = 'account'
    or resource.next_poll_at is not null
    or resource.kind = 'payout' and resource.snapshot_updated_at > ${new Date(clock.now().getTime() - MAY_COME_BACK_MS)}
    or exists (
      select from kyc_verifications kyc
      where kyc.id = resource.subject_id and kyc.user_id = resource.user_id and kyc.state = any(${unfinished.kyc}::kyc_state[])
    )
    or exists (
      select from pix_payments payment
      where payment.id = resource.subject_id and payment.user_id = resource.user_id
        and payment.state = any(${unfinished.pix_payment}::pix_payment_state[])
    )
    or exists (
      select from withdraws withdraw
      where withdraw.id = resource.subject_id and withdraw.user_id = resource.user_id
        and withdraw.state = any(${unfinished.withdraw}::withdraw_state[])
    )
  )
)`;

/** Saves the progress of a page where `status` finds runs. The end of the rotation is not for a walk to say. */
async function saveProgress(app: App, secretId: string, done: string[], counts: Moved): Promise<void> {
  const now = app.clock.now();
  await inTransaction(app.db, async (tx) => {
    await tx
      .updateTable('provider_resources')
      .set({ callback_secret_id: secretId })
      .where('handle', '=', sql<string>`any(${done}::uuid[])`)
      .execute();
    const run = await tx
      .selectFrom('job_runs')
      .select('counts')
      .where('job', '=', ROTATION_JOB)
      .where('run', '=', secretId)
      .forUpdate()
      .executeTakeFirst();
    const progress = {
      counts: sql<Record<string, number>>`${JSON.stringify(sumOf(run?.counts ?? {}, counts))}::jsonb`,
      updated_at: now,
      finished_at: null,
    };
    await tx
      .insertInto('job_runs')
      .values({ job: ROTATION_JOB, run: secretId, position: {}, started_at: now, ...progress })
      .onConflict((conflict) => conflict.columns(['job', 'run']).doUpdateSet(progress))
      .execute();
  });
}

const difference = (total: Moved, before: Moved): Moved => ({
  moved: total.moved - before.moved,
  gone: total.gone - before.gone,
  failed: total.failed - before.failed,
});

/** @returns a function whose promises resolve no oftener than `perSecond` times a second. */
function pacer(perSecond: number): () => Promise<void> {
  let nextAt = 0;
  return async () => {
    const now = performance.now();
    const at = Math.max(now, nextAt);
    nextAt = at + 1_000 / perSecond;
    if (at > now) await sleep(at - now);
  };
}
