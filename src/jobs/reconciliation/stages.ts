// The stages of a reconciliation, in order. First our own effects and callbacks are brought forward, then unfinished rows are
// refetched, then the provider's lists are scanned. A night plans windows of them as slices; a run by hand scans them whole.

import type { SubjectKind } from '../../tables/subject.ts';
import type { Stage } from '../stage.ts';
import { ACCOUNTS, scanAccountSlice } from './account-slices.ts';
import type { List } from './apply-listed.ts';
import { compareList } from './compare-lists.ts';
import { planWindow, scanListSlice } from './list-slices.ts';
import { provisionMissing } from './provision-missing.ts';
import { refetchUnfinished } from './refetch-unfinished.ts';
import { refetchUnreadable } from './refetch-unreadable.ts';
import { resolveOvertakenDiscrepancies } from './resolve-discrepancies.ts';
import { requeueExhaustedEffects, retryCallbacksNow, retryEffectsNow } from './retry-now.ts';
import { scanDeposits } from './scan-deposits.ts';
import { scanList } from './scan-list.ts';
import { namesOf } from './unfinished.ts';

const unfinished = (kind: SubjectKind): Stage => ({
  name: namesOf[kind],
  page: (context, position) => refetchUnfinished(context, kind, position),
});

const list = (name: List): Stage => ({
  name,
  page: async (context, position) => {
    const isBegun = position.after !== null || !context.isNight;
    return (isBegun ? null : await planWindow(context, name)) ?? scanList(context, name, position);
  },
});

/** Without a list of all accounts' movements, the scan of each account finds all deposits. */
const movements: Stage = {
  name: 'movements',
  page: async (context) =>
    (context.isNight ? await planWindow(context, 'movements') : null) ?? { next: null },
};

export const stages: readonly Stage[] = [
  { name: 'effects given up', page: requeueExhaustedEffects },
  { name: 'effects put off', page: retryEffectsNow },
  { name: 'callbacks put off', page: retryCallbacksNow },
  { name: 'missing accounts', page: provisionMissing },
  unfinished('kyc'),
  unfinished('provider_account'),
  unfinished('pix_payment'),
  unfinished('withdraw'),
  unfinished('contestation'),
  unfinished('payout_refund'),
  list('transfers'),
  list('payouts'),
  movements,
  { name: 'deposits', page: scanDeposits },
  // Lists may show objects that cannot be read. Each is fetched by its uuid in the same run.
  { name: 'unreadable objects', page: refetchUnreadable },
  { name: 'discrepancies', page: resolveOvertakenDiscrepancies },
];

/** The comparison after the database was restored. Until it succeeds, nobody is promised money. */
export const compareStages: readonly Stage[] = (['transfers', 'payouts'] as const).map((name) => ({
  name,
  page: (context, position) => compareList(context, name, position),
  isRepeated: true,
}));

/** A slice, which a night has planned. */
export const sliceStages: readonly Stage[] = [
  {
    name: 'slice',
    page: (context, position) => {
      const scan = context.run.startsWith(`${ACCOUNTS} `) ? scanAccountSlice : scanListSlice;
      return scan(context, position);
    },
    isRepeated: true,
  },
];
