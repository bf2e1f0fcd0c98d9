// What an effect handler is given, and the four outcomes of an effect.
import type { App } from '../app.ts';
import type { Entity } from '../entities/rows.ts';
import type { Cause } from '../lifecycle/lifecycle.ts';

/** An effect as its run read it. */
export type RunningEffect = Entity<'Effect'> & {
  /**
   * When the row was read, by the database's clock, which all processes share. A look-up of this run began later. Null: this
   * process committed the row a moment ago, so nothing was sent for it before this run.
   */
  readAt: Date | null;
};

/**
 * Acts once, in the outside world, under a handle that makes acting twice the same as acting once.
 * @throws when the outcome is unknown, and only then: the effect is looked up by its handle and tried again.
 */
export type EffectHandler = (app: App, effect: RunningEffect) => Promise<KnownOutcome>;

export type EffectOutcome = KnownOutcome | UnknownOutcome;

export type KnownOutcome =
  /** The provider's answer was applied to the subject as a follow-up event; the effect was completed in the same commit. */
  | { kind: 'applied' }
  /** A definitive refusal was applied, as an event, too; the effect was completed in the same commit. */
  | { kind: 'refused' }
  /** Nothing more is to be applied; the effect is still to be completed. */
  | { kind: 'done' };

/** It is not known whether the provider acted. Nothing is ever compensated for it. */
export type UnknownOutcome = { kind: 'unknown'; error: unknown };

export const causeOf = (effect: Entity<'Effect'>): Cause => ({ kind: 'job', id: effect.id });
