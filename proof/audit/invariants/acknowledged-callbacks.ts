// An acknowledged callback is on disk, with its payload once. The proxy in between records each callback that the service answered
// with 2xx. No proof lasts so long that retention removes a payload.
import type { Books } from '../books.ts';
import type { Check } from '../counts.ts';

export function acknowledgedCallbacksAreOnDisk({ ours, seen }: Books, check: Check): void {
  const stored = new Map(ours.callbacks.map(({ identity, payloads }) => [identity, payloads]));
  const contentOf = new Map<string, string>();
  for (const { uuid, identity, content } of seen.acknowledged) {
    const payloads = stored.get(identity);
    check(uuid, payloads !== undefined, `${content} was acknowledged and is not stored`);
    check(uuid, payloads === undefined || payloads === 1, `${content} is stored with ${payloads} payloads`);
    // If two different callbacks share an identity, the second one was acknowledged and discarded.
    const other = contentOf.get(identity) ?? content;
    check(uuid, other === content, `${content} is taken for ${other}`);
    contentOf.set(identity, content);
  }
}
