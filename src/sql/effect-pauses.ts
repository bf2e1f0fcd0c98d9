// The types of effects that operators have paused.
import { prepared } from '../database/prepared.ts';

export const listPausedTypes = prepared.all((db) => db.selectFrom('EffectPause').select('type'));
