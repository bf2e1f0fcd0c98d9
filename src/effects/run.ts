// Runs one queued effect. An effect whose subject has a newer transition is superseded. An effect whose outcome is unknown is
// postponed.
import type { App } from '../start/app.ts';
import type { Entity } from '../platform/entities/rows.ts';
import { LeaseLost } from '../outbox/leases.ts';
import { findEffect } from '../platform/sql/effects.ts';
import { completeEffect } from './complete.ts';
import type { EffectHandler, EffectOutcome, KnownOutcome, RunningEffect } from './effect.ts';
import { effectHandlers } from '../start/effect-handlers.ts';
import { logEnd } from './log.ts';
import { postpone } from './postpone.ts';

export type EffectRun = {
  id: string;
  /** The token of the lease under which the effect runs. Without it, the token of the row as it is read. */
  token?: number;
  /** The effect as this process has just committed it. Its subject counts as unchanged since, so no row is read. */
  committed?: Entity<'Effect'>;
};

/**
 * Runs one effect and records its outcome.
 * @throws LeaseLost if another run has the effect; the database's error if the outcome could not be recorded.
 */
export async function runEffect(app: App, { id, token, committed }: EffectRun): Promise<void> {
  const found = committed
    ? { effect: { ...committed, readAt: null }, isWanted: true }
    : await findWanted(app, id);
  if (found?.effect.status !== 'queued' || (token ?? found.effect.leaseToken) !== found.effect.leaseToken)
    throw new LeaseLost('effect', id);
  const { effect, isWanted } = found;
  const outcome = await outcomeOf(() => (isWanted ? carryOut(app, effect) : supersede(app, effect)));
  if (outcome.kind === 'unknown') await postpone(app, effect, outcome.error);
}

/** Any error except `LeaseLost` means that the outcome is unknown. After `LeaseLost`, another run determines the outcome. */
async function outcomeOf(work: () => Promise<KnownOutcome>): Promise<EffectOutcome> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof LeaseLost) throw error;
    return { kind: 'unknown', error };
  }
}

async function carryOut(app: App, effect: RunningEffect): Promise<KnownOutcome> {
  const outcome = await handlerOf(effect)(app, effect);
  switch (outcome.kind) {
    case 'applied':
    case 'refused':
      // The handler completed the effect in the same commit.
      break;
    case 'done':
      await complete(app, effect, 'done');
  }
  return outcome;
}

/** Completes an effect whose subject has a newer transition, without sending anything. */
async function supersede(app: App, effect: Entity<'Effect'>): Promise<KnownOutcome> {
  await complete(app, effect, 'superseded');
  return { kind: 'done' };
}

async function complete(app: App, effect: Entity<'Effect'>, status: 'done' | 'superseded'): Promise<void> {
  await completeEffect(app.db, effect, status, app.clock.now());
  logEnd(app, effect, { end: status });
}

function handlerOf({ type }: Entity<'Effect'>): EffectHandler {
  const handler: EffectHandler | undefined = effectHandlers[type];
  // A newer version of the service may have queued the effect, and will run it.
  if (!handler) throw new Error(`no handler for the effect ${type}`);
  return handler;
}

/** Finds an effect. It may run only if the transition that emitted it is still the latest of its subject (`isWanted`). */
async function findWanted(
  app: App,
  id: string,
): Promise<{ effect: RunningEffect; isWanted: boolean } | null> {
  const row = await findEffect(app.db, { id });
  if (!row) return null;
  const { latest, ...effect } = row;
  return { effect, isWanted: latest === effect.seq };
}
