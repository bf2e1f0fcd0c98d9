// A type of effect that an operator has paused. Its effects stay queued and run after it is resumed.
import { defineEntity, p } from '@mikro-orm/core';
import { moment } from '../columns.ts';

export const EffectPause = defineEntity({
  name: 'EffectPause',
  tableName: 'effect_pauses',
  place: 'reference',
  properties: {
    type: p.string().length(40).primary(),
    reason: p.text(),
    operator: p.text(),
    pausedAt: moment(),
  },
});
