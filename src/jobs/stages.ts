// The stages of a reconciliation, in their order: first our own work is set going again, then what is unfinished is looked
// at, then what the provider may have to tell of the rest.
import type { SubjectKind } from '../lifecycle/lifecycle.ts';
import { bringForwardCallbacks, bringForwardEffects } from './bring-forward.ts';
import { lookAgain } from './look-again.ts';
import { provisionMissing } from './provision-missing.ts';
import { settleDiscrepancies } from './settle-discrepancies.ts';
import type { Stage } from './stage.ts';
import { queueLostCallbacks, queueLostEffects, takeUpEffects } from './take-up-work.ts';
import { namesOf } from './unfinished.ts';
import { walkDeposits } from './walk-deposits.ts';
import { type List, walkList } from './walk-list.ts';

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
