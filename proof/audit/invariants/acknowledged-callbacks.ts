// An acknowledged callback is on disk. The proxy in between records each callback that the service answered with 2xx.
import type { Books } from '../books.ts';
import type { Hold } from '../counts.ts';

export function acknowledgedCallbacksAreOnDisk({ ours, seen }: Books, hold: Hold): void {
  const stored = new Set(ours.callbacks.map(({ external_id: id }) => id));
  const contentOf = new Map<string, string>();
  for (const { uuid, externalId, content } of seen.acknowledged) {
    hold(uuid, stored.has(externalId), `${content} was acknowledged and is not stored`);
    // If two different callbacks share an identity, the second one was acknowledged and discarded.
    const other = contentOf.get(externalId) ?? content;
    hold(uuid, other === content, `${content} is taken for ${other}`);
    contentOf.set(externalId, content);
  }
}
