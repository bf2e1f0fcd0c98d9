// The stages of a reconciliation, in their order: first our own work is set going again, then what is unfinished is looked
// at, then what the provider may have to tell of the rest.

import type { Stage } from '../batch/stage.ts';
import type { SubjectKind } from '../entities/subject.ts';
import { provisionMissing } from './provision-missing.ts';
import { lookAgain } from './refetch-unfinished.ts';
import { queueLostCallbacks, queueLostEffects, takeUpEffects } from './requeue-lost.ts';
import { settleDiscrepancies } from './resolve-discrepancies.ts';
import { bringForwardCallbacks, bringForwardEffects } from './retry-now.ts';
import { walkDeposits } from './scan-deposits.ts';
import { type List, walkList } from './scan-list.ts';
import { namesOf } from './unfinished.ts';

const unfinished = (kind: SubjectKind): Stage => ({
  name: namesOf[kind],
  page: (turn, place) => lookAgain(turn, kind, place),
});

const list = (name: List): Stage => ({ name, page: (turn, place) => walkList(turn, name, place) });

export const stages: readonly Stage[] = [
  { name: 'effects given up', page: takeUpEffects },
  { name: 'effects without a job', page: queueLostEffects },
  { name: 'callbacks without a job', page: queueLostCallbacks },
  { name: 'effects put off', page: bringForwardEffects },
  { name: 'callbacks put off', page: bringForwardCallbacks },
  { name: 'missing accounts', page: provisionMissing },
  unfinished('kyc'),
  unfinished('provider_account'),
  unfinished('pix_payment'),
  unfinished('withdraw'),
  list('transfers'),
  list('payouts'),
  { name: 'deposits', page: walkDeposits },
  { name: 'discrepancies', page: settleDiscrepancies },
];
