// The types of effect handlers: their input, and the four outcomes of an effect.

import type { EffectType } from '../../machines/effects.ts';
import type { Log } from '../domain/log.ts';
import type { PlainEffect } from '../outbox/enqueue.ts';
import type { Provider } from '../provider/port.ts';
import type { ApplyServices } from '../reports/apply-reported.ts';
import type { Entity } from '../tables/rows.ts';
import type { Cause } from '../tables/transitions/entity.ts';

/** An effect as the current run read it. */
export type RunningEffect = Entity<'Effect'> & {
  /**
   * When the row was read, by the database's clock, which all processes share. Every look-up of this run starts after it. Null if
   * this process committed the row just before the run: then nothing was sent for the effect earlier.
   */
  readAt: Date | null;
};

export type EffectServices = ApplyServices & {
  provider: Provider<'background'>;
  log: Log;
  config: { makeWholeCapBps: number; usdcAccountsEnabled: boolean };
};

/**
 * Makes the effect's call to the provider under an idempotency handle, so that repeating it creates nothing twice.
 * @throws LeaseLost if another run has the effect. Any other error means that the outcome is unknown: the effect is retried, and
 *   its handle is looked up first.
 */
export type EffectHandler = (services: EffectServices, effect: RunningEffect) => Promise<KnownOutcome>;

export type EffectHandlers = Record<EffectType | PlainEffect['type'], EffectHandler>;

export type EffectOutcome = KnownOutcome | UnknownOutcome;

export type KnownOutcome =
  /** The provider's answer was applied to the subject as a machine event. The effect was completed in the same commit. */
  | { kind: 'applied' }
  /** A definitive refusal was applied to the subject as a machine event. The effect was completed in the same commit. */
  | { kind: 'refused' }
  /** There is nothing to apply. The caller still has to complete the effect. */
  | { kind: 'done' };

/** The provider may or may not have acted on the request. An unknown outcome is never compensated. */
export type UnknownOutcome = { kind: 'unknown'; error: unknown };

export const causeOf = (effect: Entity<'Effect'>): Cause => ({ kind: 'job', id: effect.id });
