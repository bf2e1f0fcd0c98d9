// Fetches the objects that could not be read in the provider's lists by their uuids, and applies those that can be read now.

import { NIL_UUID } from '../../domain/ids.ts';
import { UnreadableReply } from '../../provider/errors.ts';
import { isNotFound } from '../../provider/with-retries.ts';
import { applyReported } from '../../reports/apply-reported.ts';
import { type ListFinding, resolveFindings } from '../../reports/list-findings.ts';
import { listUnreadableObjects } from '../../tables/list-findings/statements.ts';
import { count } from '../counters.ts';
import { forEach, nextAfter, type PagePosition, type PageResult, type StageContext } from '../stage.ts';
import { applyListed } from './apply-listed.ts';

const PAGE_SIZE = 50;

export async function refetchUnreadable(context: StageContext, { after }: PagePosition): Promise<PageResult> {
  const findings = await listUnreadableObjects(context.db, {
    after: after ?? NIL_UUID,
    limit: PAGE_SIZE,
  });
  await forEach(context, 'unreadable objects', findings, async (finding) => {
    if (await isApplied(context, finding)) await resolveFindings(context, [finding]);
  });
  return { next: nextAfter(findings, PAGE_SIZE, ({ id }) => id) };
}

/**
 * Fetches an object and applies it.
 * @returns whether it was applied; false also if it still cannot be read or no longer exists.
 * @throws the error that prevented the object from being fetched or applied.
 */
async function isApplied(
  context: StageContext,
  { list, accountRef, providerRef }: ListFinding,
): Promise<boolean> {
  const { provider, cause, counters } = context;
  // A movement of an unknown account cannot be fetched. The scan of its account finds it.
  if (providerRef === null || (list === 'movements' && accountRef === null)) return false;
  try {
    if (list === 'movements') {
      const movement = await provider.getMovement(accountRef ?? '', providerRef);
      if ((await applyReported(context, movement, cause)) === 'applied') count(counters, 'deposits recorded');
      return true;
    }
    const object =
      list === 'payouts'
        ? { snapshot: await provider.getPayout(providerRef) }
        : await provider.getTransferDetails(providerRef);
    return (await applyListed(context, list, [object])).size === 0;
  } catch (error) {
    if (!(error instanceof UnreadableReply) && !isNotFound(error)) throw error;
    count(counters, 'objects still unreadable');
    return false;
  }
}
