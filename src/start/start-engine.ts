// Starts the engine of this process, the heartbeat that keeps its leases, and recurring work.

import { runEffect } from '../effects/run.ts';
import { provisionUsdcAccounts } from '../jobs/reconciliation/provision-missing.ts';
import { createQuoteDeletion } from '../jobs/retention/delete-unused-quotes.ts';
import { runNightlyPage } from '../jobs/run-page.ts';
import { planNextNights } from '../jobs/schedule.ts';
import { watchHistory } from '../jobs/watch-history.ts';
import { createEngine, type Engine } from '../outbox/engine.ts';
import { every } from '../outbox/every.ts';
import { type Peer, startHeartbeat } from '../outbox/heartbeat.ts';
import { releaseOrphanedLeases, takeOver } from '../outbox/leases.ts';
import { rememberPauses } from '../outbox/paused-effects.ts';
import type { Work, WorkHandler } from '../outbox/work.ts';
import { settledWithin } from '../platform/concurrency/settled-within.ts';
import { servingDeadlines } from '../platform/database/deadlines.ts';
import { createPool } from '../platform/database/pool.ts';
import { unattended, type WhileCalling } from '../provider/caller.ts';
import { pollResource } from '../reports/poll-resource.ts';
import type { WorkKind } from '../tables/work.ts';
import { dispatchWebhook } from '../webhooks/dispatch.ts';
import { type App, type CallerServices, servicesFor } from './app.ts';
import { effectHandlers } from './effect-handlers.ts';

const TICK_EVERY_MS = 1_000;
const ORPHANS_EVERY_MS = 10_000;
const UNUSED_QUOTES_EVERY_MS = 60_000;
const NIGHTS_EVERY_MS = 5_000;
const HISTORY_EVERY_MS = 1_000;
/** How long running work may take to finish when the process stops. */
const GRACE_MS = 8_500;

export type Working = {
  /** Milliseconds since the last heartbeat was written, and since the last claims that succeeded. */
  ages: () => { heartbeatMs: number; progressMs: number };
  /** Finishes running work and releases the rest. */
  stop: () => Promise<void>;
  /** Ends the remaining leases and the heartbeat. Call it after the last commit of this process. */
  releaseAll: () => Promise<void>;
};

/** @throws when the database does not accept the first heartbeat. */
export async function startEngine(app: App): Promise<Working> {
  let engine: Engine | null = null;
  const stopping = new AbortController();
  // A heartbeat that was read during a takeover still lists the dead process.
  const takenOver = new Set<string>();
  const takeOverOnce = async (peer: Peer): Promise<void> => {
    if (takenOver.has(peer.id)) return;
    takenOver.add(peer.id);
    if (await takeOver(app.db, peer).catch(() => false)) {
      app.log.warn(
        { code: 'outbox.peer_dead', process: peer.id },
        'the work of a dead process was taken over',
      );
      engine?.wake();
    } else takenOver.delete(peer.id);
  };
  const heartbeat = await startHeartbeat({
    orm: app.orm,
    pool: createPool(app.config.databaseUrl, 1, servingDeadlines, app.config.databaseBehind),
    deadAfterMs: app.config.processDeadAfterMs,
    died: (peer) => void takeOverOnce(peer),
    replaced: () => {
      app.log.error(
        { code: 'outbox.replaced' },
        'another process declared this one dead, so this one gave up its work',
      );
      engine?.forgetAll();
    },
    notified: () => engine?.wake(),
    heldUp: app.outbox.heldUp,
    canListen: app.config.databaseBehind.pooler === 'none',
  });
  const started = createEngine({
    ...app,
    heartbeat,
    waited: app.metrics.workWaited,
    handlers: createWorkHandlers(app, stopping.signal),
    pausedTypes: rememberPauses(app.db),
    failingOperations: () => app.providerConnection.state().failing,
  });
  engine = started;
  app.outbox.attach(started.handOffTarget);
  const recurring = [
    every(TICK_EVERY_MS, started.tick, app.log),
    every(ORPHANS_EVERY_MS, () => releaseOrphanedLeases(app.db), app.log),
    every(UNUSED_QUOTES_EVERY_MS, createQuoteDeletion(app), app.log),
    every(HISTORY_EVERY_MS, () => watchHistory(app), app.log),
    every(NIGHTS_EVERY_MS, async () => planNextNights(app.db, await app.databaseClock.now(app.db)), app.log),
  ];
  provisionUsdcAccounts(batchOf(app)).catch((error: unknown) =>
    app.log.error(
      { code: 'usdc_accounts.unprovisioned', error },
      'missing USDC accounts could not be requested',
    ),
  );
  return {
    ages: () => ({ heartbeatMs: heartbeat.ageMs(), progressMs: started.progressMs() }),
    stop: async () => {
      stopping.abort();
      const recurrence = Promise.all(recurring.map((stop) => stop()));
      await Promise.all([started.stop(GRACE_MS), settledWithin(GRACE_MS, recurrence)]);
    },
    releaseAll: async () => {
      await started.releaseAll().catch(() => undefined);
      await heartbeat.stop();
    },
  };
}

/**
 * The handlers of each kind of work. Their calls to the provider have background priority.
 * @param stopping aborted when this process stops.
 */
function createWorkHandlers(app: App, stopping: AbortSignal): Record<WorkKind, WorkHandler> {
  const servicesOf = ({ userId }: Work, whileCalling: WhileCalling): CallerServices<'background'> =>
    servicesFor(app, { priority: 'background', userId, whileCalling });
  return {
    effect: (work, whileCalling) => runEffect({ ...servicesOf(work, whileCalling), effectHandlers }, work),
    callback: (work, whileCalling) => dispatchWebhook(servicesOf(work, whileCalling), work),
    poll: (work, whileCalling) => pollResource(servicesOf(work, whileCalling), work),
    page: (work) => runNightlyPage(servicesFor(batchOf(app), unattended), work, stopping),
  };
}

/** Statements of nightly jobs read whole tables, so they have connections with a longer deadline. */
const batchOf = (app: App): App => ({ ...app, db: app.batchDb });
