// What the log says of an effect that has come to its end: with its ids, so that a payment can be followed from its request
// through its effects to the callbacks about them.
import type { App } from '../app.ts';
import type { Entity } from '../entities/rows.ts';
import type { Snapshot } from '../provider/port.ts';

type End =
  | { end: 'done' | 'superseded' }
  | { end: 'done'; snapshot: Pick<Snapshot, 'handle' | 'providerRef'> }
  | { end: 'refused'; why: string };

const sentences = {
  done: 'the effect was carried out',
  superseded: 'the effect was superseded: its row has moved on',
  refused: 'the provider refused the effect',
} as const satisfies Record<End['end'], string>;

/** Only once it is committed. */
export function logEnd({ log }: Pick<App, 'log'>, effect: Entity<'Effect'>, ended: End): void {
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
