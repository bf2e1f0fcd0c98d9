// Finds orphans for the `recovery` commands: resources of the provider without a row here.

import { unattended } from '../src/provider/caller.ts';
import { servicesFor } from '../src/start/app.ts';
import { type CommandCall, type OptionSpec, valuesOf } from './command.ts';
import { oneLine } from './format.ts';
import { listOrphans, type Orphan } from './recovery/recovery.ts';

export const knownIdsOption: Record<string, OptionSpec> = {
  'known-ids': { placeholder: '<id,...>', summary: 'our own ids, from logs or screens, to match them with' },
};

/** Returns at most `limit` orphans for which `isWanted` is true. */
export async function findOrphans(
  { app, out, options, signal }: CommandCall,
  {
    isWanted = () => true,
    limit = Number.POSITIVE_INFINITY,
  }: { isWanted?: (orphan: Orphan) => boolean; limit?: number },
): Promise<Orphan[]> {
  const found: Orphan[] = [];
  const orphans = listOrphans(servicesFor(app, unattended), {
    knownIds: valuesOf(options['knownIds']),
    signal,
    onUnlisted: ({ list, providerRef, why }) =>
      out.note(`Not listed, of the ${list}: ${providerRef ?? 'without a uuid'} (${oneLine(why)})`),
    onProgress: ({ stage, objects }) =>
      out.progress(`${stage}: ${objects} seen, ${found.length} without a row`),
  });
  for await (const orphan of orphans) {
    if (isWanted(orphan)) found.push(orphan);
    if (found.length >= limit) break;
  }
  return found;
}
