// Starts carrying out work: the engine, the heartbeat that keeps its leases, what recurs, and the nightly jobs.
import type { App } from '../app.ts';
import { servingDeadlines } from '../database/deadlines.ts';
import { createPool } from '../database/pool.ts';
import { runEffect } from '../effects/run.ts';
import { startNightlyRunner } from '../nightly/runner.ts';
import { createEngine, type Engine } from '../outbox/engine.ts';
import { every } from '../outbox/every.ts';
import { type Peer, startHeartbeat } from '../outbox/heartbeat.ts';
import { handBackOrphaned, takeOver } from '../outbox/leases.ts';
import { rememberPauses } from '../outbox/paused-effects.ts';
import type { Carry } from '../outbox/work.ts';
import { deleteUnusedQuotes } from '../privacy/delete-unused-quotes.ts';
import { runInBackgroundFor } from '../provider/call-priority.ts';
import { provisionPivots } from '../reconciliation/provision-pivots.ts';
import { pollResource } from '../snapshots/poll-resource.ts';
import type { WorkKind } from '../sql/work.ts';
import { settledWithin } from '../time/settled-within.ts';
import { dispatchWebhook } from '../webhooks/dispatch.ts';

const TICK_EVERY_MS = 1_000;
const ORPHANS_EVERY_MS = 10_000;
const UNUSED_QUOTES_EVERY_MS = 60_000;
/** Shorter than what the database's deadlines let a tick take is no time to judge it by. */
const TICK_WITHIN_MS = 20_000;
const GRACE_MS = 8_500;

export type Working = {
  /** For how long the heartbeat was not written, and no work was claimed, in milliseconds. */
  ages: () => { heartbeatMs: number; progressMs: number };
  /** Finishes the work in hand and gives back the rest. */
  stop: () => Promise<void>;
  /** After the last commit of this process: ends the leases that are left, and the heartbeat. */
  leave: () => Promise<void>;
};

/** @throws when the database does not accept the first heartbeat. */
export async function startEngine(app: App): Promise<Working> {
  const deadAfterMs = app.config.processDeadAfterMs;
  let engine: Engine | null = null;
  // A beat that was read while a takeover was under way still has the dead process.
  const takenOver = new Set<string>();
  const takeOverOnce = async (peer: Peer): Promise<void> => {
    if (takenOver.has(peer.id)) return;
    takenOver.add(peer.id);
    if (await takeOverFrom(app, peer)) engine?.wake();
    else takenOver.delete(peer.id);
  };
  const heartbeat = await startHeartbeat({
    orm: app.orm,
    pool: createPool(app.config.databaseUrl, 1, servingDeadlines, app.config.databasePooler),
    deadAfterMs,
    died: (peer) => void takeOverOnce(peer),
    replaced: () => {
      app.log.error({ code: 'outbox.replaced' }, 'this process was taken for dead, and gave up its work');
      engine?.forgetAll();
    },
    notified: () => engine?.wake(),
    canListen: app.config.databasePooler === 'none',
  });
  const begun = createEngine({
    app,
    heartbeat,
    deadAfterMs,
    carry: carriersOf(app),
    pausedTypes: rememberPauses(app.db),
  });
  engine = begun;
  app.outbox.attach(begun.carrier);
  const recurring = [
    every(TICK_EVERY_MS, begun.tick, app, TICK_WITHIN_MS),
    every(ORPHANS_EVERY_MS, () => handBackOrphaned(app.db), app),
    every(UNUSED_QUOTES_EVERY_MS, async () => void (await deleteUnusedQuotes(app.db)), app),
    startNightlyRunner(batchOf(app), heartbeat.owner),
  ];
  provisionPivots(batchOf(app)).catch((error: unknown) =>
    app.log.error(
      { code: 'usdc_accounts.unprovisioned', error },
      'missing USDC accounts could not be ordered',
    ),
  );
  return {
    ages: () => ({ heartbeatMs: heartbeat.ageMs(), progressMs: begun.progressMs() }),
    stop: async () => {
      const recurrence = Promise.all(recurring.map((one) => one.stop()));
      // A statement of a nightly job on a frozen connection ends after a minute.
      await Promise.all([begun.stop(GRACE_MS), settledWithin(GRACE_MS, recurrence)]);
    },
    leave: async () => {
      await begun.leave().catch(() => undefined);
      await heartbeat.stop();
    },
  };
}

/** What carries out each kind of work. Nobody stands waiting for what it asks of the provider. */
const carriersOf = (app: App): Record<WorkKind, Carry> => ({
  effect: ({ id, userId, token, committed }) =>
    runInBackgroundFor(userId, () =>
      runEffect(app, {
        id,
        token,
        ...(committed && 'effect' in committed && { committed: committed.effect }),
      }),
    ),
  callback: ({ id, userId, token, committed }) =>
    runInBackgroundFor(userId, () =>
      dispatchWebhook(app, { id, token, ...(committed && 'callback' in committed && { committed }) }),
    ),
  poll: (work) => runInBackgroundFor(work.userId, () => pollResource(app, work)),
});

async function takeOverFrom(app: App, peer: Peer): Promise<boolean> {
  const isOurs = await takeOver(app.db, peer).catch(() => false);
  if (isOurs)
    app.log.warn({ code: 'outbox.peer_dead', process: peer.id }, 'the work of a dead process was taken over');
  return isOurs;
}

/** Some statements of these jobs read whole tables, and may take longer than what people wait for. */
const batchOf = (app: App): App => ({ ...app, db: app.batchDb });
