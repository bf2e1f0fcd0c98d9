// Runs one queued effect: is it still wanted, and what is its outcome. Where that is unknown, it is postponed.
import type { App } from '../app.ts';
import type { Entity } from '../entities/rows.ts';
import { LeaseLost } from '../outbox/leases.ts';
import { findEffect } from '../sql/effects.ts';
import { completeEffect } from './complete.ts';
import type { EffectHandler, EffectOutcome, KnownOutcome, RunningEffect } from './effect.ts';
import { effectHandlers } from './index.ts';
import { logEnd } from './log.ts';
import { postpone } from './postpone.ts';

export type EffectRun = {
  id: string;
  /** Of the lease under which it is run; without one, that of the row as it is read. */
  token?: number;
  /** The effect as it was committed a moment ago: its row has not moved on since. */
  committed?: Entity<'Effect'>;
};

/** @throws LeaseLost when another run has the effect meanwhile, or the database's error when the outcome is not recorded. */
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

/** A throw alone means that the outcome is unknown; without the lease, the outcome is another run's to find. */
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
      // Completed in the commit that applied it.
      break;
    case 'done':
      await complete(app, effect, 'done');
  }
  return outcome;
}

/** Its subject has moved on: nothing is sent. */
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
  // A newer version than this one may have queued it, and will carry it out.
  if (!handler) throw new Error(`no handler for the effect ${type}`);
  return handler;
}

/** The effect, and whether the transition that ordered it is still its row's latest: only then may it act. */
async function findWanted(
  app: App,
  id: string,
): Promise<{ effect: RunningEffect; isWanted: boolean } | null> {
  const row = await findEffect(app.db, { id });
  if (!row) return null;
  const { latest, ...effect } = row;
  return { effect, isWanted: latest === effect.seq };
}
