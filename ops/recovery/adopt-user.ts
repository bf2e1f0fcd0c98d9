// Adopts a user's verification and the currency of the home account if the restored rows have lost them. The rest follows by itself:
// opening the accounts again under their handles finds the existing ones, and the next scan of their movements finds the deposits.

import { Refusal } from '../../src/domain/refusals.ts';
import { beginKyc } from '../../src/onboarding/start-kyc.ts';
import { updateUser } from '../../src/onboarding/update-me.ts';
import { applyReported } from '../../src/reports/apply-reported.ts';
import type { Cause } from '../../src/tables/transitions/entity.ts';
import type { Adopted, Orphan, RecoveryServices } from './orphan.ts';
import { NO_USER, NotAdoptable } from './write.ts';

export async function adoptOwner(services: RecoveryServices, orphan: Orphan, cause: Cause): Promise<Adopted> {
  const userId = userOf(orphan);
  const snapshot = await services.provider.getOwner(orphan.providerRef);
  await beginKyc(services, userId, snapshot.handle, cause).catch(asNotAdoptable);
  await applyReported(services, snapshot, cause);
  return { id: userId, state: snapshot.status, why: null };
}

export async function adoptHomeAccount(services: RecoveryServices, orphan: Orphan): Promise<Adopted> {
  const userId = userOf(orphan);
  const { currency } = await services.provider.getAccount(orphan.providerRef);
  if (currency !== 'GBP' && currency !== 'EUR') throw new NotAdoptable('it is not a home account');
  await updateUser(services, userId, { homeCurrency: currency }).catch(asNotAdoptable);
  return { id: userId, state: 'restored', why: null };
}

function userOf({ match: { userId } }: Orphan): string {
  if (userId === null) throw new NotAdoptable(NO_USER);
  return userId;
}

function asNotAdoptable(error: unknown): never {
  throw error instanceof Refusal ? new NotAdoptable(`refused: ${error.code}`) : error;
}
