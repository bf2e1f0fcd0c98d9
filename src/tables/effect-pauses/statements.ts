// The types of effects that operators have paused.

import { sql } from 'kysely';
import { everyProperty, prepared } from '../prepared.ts';
import { type Entity } from '../rows.ts';

export const listPausedTypes = prepared.all((db) => db.selectFrom('EffectPause').select('type'));

type EffectPause = Entity<'EffectPause'>;

export const findPause = prepared.first((db, { type }: { type: string }) =>
  db.selectFrom('EffectPause').selectAll().where('type', '=', type),
);

/** Inserts nothing if the type was paused before: the first reason stays. */
export const insertPause = prepared.count((db, params: Omit<EffectPause, 'pausedAt'>) =>
  db
    .insertInto('EffectPause')
    .values(everyProperty('EffectPause', params, { pausedAt: sql`now()` }))
    .onConflict((conflict) => conflict.column('type').doNothing()),
);

export const deletePause = prepared.first((db, { type }: { type: string }) =>
  db.deleteFrom('EffectPause').where('type', '=', type).returning('pausedAt'),
);
