// What an effect handler is given, and the four ways it may end.

import type { App } from '../app.ts';
import type { EffectRow } from '../entities/rows.ts';
import type { Cause } from '../lifecycle/lifecycle.ts';

/**
 * Acts once, in the outside world, under a handle that makes acting twice the same as acting once.
 * Ends with a follow-up event (already applied), with nothing more to do, or with a definitive failure (an event, too):
 * all three return. A throw alone means "the outcome is unknown": the effect is looked up by its handle and tried again.
 */
export type EffectHandler = (app: App, effect: EffectRow) => Promise<Ending>;

/** Whether the end of the effect is committed already, together with what it brought. */
export type Ending = 'finished' | 'returned';

export const causeOf = (effect: EffectRow): Cause => ({ kind: 'job', id: effect.id });
