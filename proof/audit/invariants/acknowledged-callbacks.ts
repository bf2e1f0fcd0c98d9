// An acknowledged callback is on disk: each one that was answered with 2xx, by what stood in between and wrote it down.
import type { Books } from '../books.ts';
import type { Hold } from '../counts.ts';

export function acknowledgedCallbacksAreOnDisk({ ours, seen }: Books, hold: Hold): void {
  const stored = new Set(ours.callbacks.map(({ external_id: id }) => id));
  const newsOf = new Map<string, string>();
  for (const { uuid, externalId, news } of seen.acknowledged) {
    hold(uuid, stored.has(externalId), `${news} was acknowledged and is not stored`);
    // Two pieces of news under one identity: then the second was acknowledged and thrown away.
    const other = newsOf.get(externalId) ?? news;
    hold(uuid, other === news, `${news} is taken for ${other}`);
    newsOf.set(externalId, news);
  }
}
