// Recovery after a restored backup: lists and adopts the provider's objects that have no row here.
//
// A user who does not see a payment would pay it again. So the service promises no money to users for whom something is missing
// (src/ledger/nothing-lost.ts), until their objects are adopted.
//
// Recovery cannot rebuild users whose own row was lost (they sign in as new users, and their objects are listed as `unknown`), unused
// quotes, or bank details and names saved after the backup. A payment whose quote is in the backup gets its own id, because that derives
// from the quote. Other ids must be known from elsewhere.
// Deposits need no adoption: the scan of the movements finds them.

import type { Provider } from '../../src/provider/port.ts';
import { UserErased } from '../../src/security/data-keys.ts';
import type { Db } from '../../src/tables/orm.ts';
import type { Cause } from '../../src/tables/transitions/entity.ts';
import { adoptPayment } from './adopt-payment.ts';
import { adoptHomeAccount, adoptOwner } from './adopt-user.ts';
import { adoptWithdraw } from './adopt-withdraw.ts';
import { findLost } from './find-lost.ts';
import { findUnverified } from './find-unverified.ts';
import type { Adopted, Orphan, OrphanOptions, RecoveryServices } from './orphan.ts';
import { NO_USER, NotAdoptable } from './write.ts';

export type { Adopted, Orphan, OrphanMatch, OrphanOptions, OrphanPart, Unlisted } from './orphan.ts';

/**
 * Lists the orphans: first verifications and home accounts, which the others may need; then payments and withdrawals, oldest first.
 * @throws OutcomeUnknown if a list cannot be fetched.
 */
export async function* listOrphans(
  { db, provider }: { db: Db; provider: Provider },
  options: OrphanOptions = {},
): AsyncGenerator<Orphan> {
  yield* findUnverified({ db, provider }, options);
  yield* await findLost({ db, provider }, options);
}

/**
 * Adopts one orphan in one commit. A repeated or concurrent call adopts it only once.
 * @throws OutcomeUnknown if its objects cannot be fetched again: nothing is written then.
 */
export async function adopt(services: RecoveryServices, orphan: Orphan, cause: Cause): Promise<Adopted> {
  try {
    switch (orphan.kind) {
      case 'payment':
        return await adoptPayment(services, orphan, cause);
      case 'withdraw':
        return await adoptWithdraw(services, orphan, cause);
      case 'owner':
        return await adoptOwner(services, orphan, cause);
      case 'home_account':
        return await adoptHomeAccount(services, orphan);
      case 'unknown':
        return { id: null, state: null, why: orphan.match.why };
    }
  } catch (error) {
    if (error instanceof NotAdoptable) return { id: null, state: null, why: error.message };
    if (error instanceof UserErased) return { id: null, state: null, why: NO_USER };
    throw error;
  }
}
