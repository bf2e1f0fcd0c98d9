// Logs the end of an effect. The line has the effect's ids, so that a payment can be traced from its request through its effects
// to the callbacks about them.

import type { Log } from '../domain/log.ts';
import type { Entity } from '../platform/database/entities/rows.ts';
import type { Snapshot } from '../provider/port.ts';

type End =
  | { end: 'done' | 'superseded' }
  | { end: 'done'; snapshot: Pick<Snapshot, 'handle' | 'providerRef'> }
  | { end: 'refused'; why: string };

const sentences = {
  done: 'the effect was executed',
  superseded: 'the effect was superseded: its subject has a newer transition',
  refused: 'the provider refused the effect',
} as const satisfies Record<End['end'], string>;

/** Logs the end of an effect. Call it only after the commit. */
export function logEnd(log: Log, effect: Entity<'Effect'>, ended: End): void {
  const { id: effectId, type, subjectKind, subjectId } = effect;
  const { handle, providerRef } = 'snapshot' in ended ? ended.snapshot : {};
  log.info(
    {
      code: `effect.${ended.end}`,
      effectId,
      effect: type,
      subjectKind,
      subjectId,
      ...(handle !== undefined && { handle, providerRef }),
      ...('why' in ended && { why: ended.why }),
    },
    sentences[ended.end],
  );
}
