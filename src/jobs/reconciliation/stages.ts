// The stages of a reconciliation, in order. First our own effects and callbacks are brought forward, then unfinished rows are
// refetched, then the provider's lists are scanned.

import type { SubjectKind } from '../../platform/database/entities/subject.ts';
import type { Stage } from '../stage.ts';
import type { List } from './apply-listed.ts';
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
  page: (context, position) => scanList(context, name, position),
});

export const stages: readonly Stage[] = [
  { name: 'effects given up', page: requeueExhaustedEffects },
  { name: 'effects put off', page: retryEffectsNow },
  { name: 'callbacks put off', page: retryCallbacksNow },
  { name: 'missing accounts', page: provisionMissing },
  unfinished('kyc'),
  unfinished('provider_account'),
  unfinished('pix_payment'),
  unfinished('withdraw'),
  list('transfers'),
  list('payouts'),
  { name: 'deposits', page: scanDeposits },
  // Lists may show objects that cannot be read. Each is fetched by its uuid in the same run.
  { name: 'unreadable objects', page: refetchUnreadable },
  { name: 'discrepancies', page: resolveOvertakenDiscrepancies },
];
