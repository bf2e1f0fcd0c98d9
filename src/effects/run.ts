// Runs one queued effect. An effect whose subject has a newer transition is superseded. An effect whose outcome is unknown is
// postponed.

import { NIL_UUID } from '../domain/ids.ts';
import { LeaseLost } from '../outbox/leases.ts';
import type { Work } from '../outbox/work.ts';
import { DatabaseTime } from '../platform/database/database-time.ts';
import { onOneConnection } from '../platform/database/db-transaction.ts';
import { inSpan, type NewSpan } from '../platform/tracing/tracing.ts';
import { findEffect } from '../tables/effects/statements.ts';
import type { Db } from '../tables/orm.ts';
import type { Entity } from '../tables/rows.ts';
import { completeEffect, logEnd } from './complete.ts';
import type {
  EffectHandler,
  EffectHandlers,
  EffectOutcome,
  EffectServices,
  KnownOutcome,
  RunningEffect,
} from './effect.ts';
import { postpone } from './postpone.ts';

type RunServices = EffectServices & { effectHandlers: EffectHandlers };

/** The work of an effect. Without a token, the effect runs under the token of its row as it is read. */
type EffectRun = Pick<Work, 'id' | 'userId' | 'committed'> & { token?: number };

/**
 * Runs one effect and records its outcome.
 * @throws LeaseLost if another run has the effect; the database's error if the outcome could not be recorded.
 */
export async function runEffect(
  services: RunServices,
  { id, userId, token, committed }: EffectRun,
): Promise<void> {
  // The subject of an effect that was just committed counts as unchanged since, so no row is read.
  const found =
    committed && 'effect' in committed
      ? { effect: { ...committed.effect, readAt: null }, isWanted: true }
      : await findWanted(services.db, id, userId ?? NIL_UUID);
  if (found?.effect.status !== 'queued' || (token ?? found.effect.leaseToken) !== found.effect.leaseToken)
    throw new LeaseLost('effect', id);
  const { effect, isWanted } = found;
  await inSpan(spanOf(effect), async (set) => {
    const outcome = await outcomeOf(() =>
      isWanted ? handle(services, effect) : supersede(services, effect),
    );
    set({ 'ponte.effect.outcome': isWanted ? outcome.kind : 'superseded' });
    if (outcome.kind === 'unknown') await postpone(services, effect, outcome.error);
  });
}

const spanOf = ({ id, type, subjectKind, subjectId, attempts, traceparent }: RunningEffect): NewSpan => ({
  name: `effect ${type}`,
  parent: traceparent,
  attributes: {
    'ponte.effect.id': id,
    'ponte.effect.type': type,
    'ponte.effect.attempt': attempts + 1,
    'ponte.subject.kind': subjectKind,
    'ponte.subject.id': subjectId,
  },
});

/** Any error except `LeaseLost` means that the outcome is unknown. After `LeaseLost`, another run determines the outcome. */
async function outcomeOf(work: () => Promise<KnownOutcome>): Promise<EffectOutcome> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof LeaseLost) throw error;
    return { kind: 'unknown', error };
  }
}

async function handle(services: RunServices, effect: RunningEffect): Promise<KnownOutcome> {
  const outcome = await handlerOf(services.effectHandlers, effect)(services, effect);
  // After any other outcome, the handler has completed the effect in the same commit.
  if (outcome.kind === 'done') await complete(services, effect, 'done');
  return outcome;
}

async function supersede(services: RunServices, effect: Entity<'Effect'>): Promise<KnownOutcome> {
  await complete(services, effect, 'superseded');
  return { kind: 'done' };
}

async function complete(
  { db, log }: RunServices,
  effect: Entity<'Effect'>,
  status: 'done' | 'superseded',
): Promise<void> {
  await completeEffect(db, effect, status);
  logEnd(log, effect, { end: status });
}

function handlerOf(handlers: EffectHandlers, { type }: Entity<'Effect'>): EffectHandler {
  const handler: EffectHandler | undefined = handlers[type];
  // A newer version of the service may have queued the effect, and will run it.
  if (!handler) throw new Error(`no handler for the effect ${type}`);
  return handler;
}

/** Finds an effect. It may run only if the transition that emitted it is still the latest of its subject (`isWanted`). */
async function findWanted(
  db: Db,
  id: string,
  userId: string,
): Promise<{ effect: RunningEffect; isWanted: boolean } | null> {
  const [row, now] = await onOneConnection(db, (connection) => [
    findEffect(connection, { id, userId }),
    DatabaseTime.read(connection),
  ]);
  if (!row) return null;
  const { latest, ...effect } = row;
  return { effect: { ...effect, readAt: now.toDate() }, isWanted: latest === effect.seq };
}
