// Decides whether a withdrawal has the check of the name that the operator requires (WITHDRAW_NAME_CHECK).
import type { BankDetails } from '../../domain/bank-details.ts';
import { madeAt } from '../../domain/ids.ts';
import { NAMES_KEPT_MS } from '../../domain/lookup-life.ts';
import { Refusal } from '../../domain/refusals.ts';
import { DatabaseTime } from '../../platform/database/database-time.ts';
import type { NameChecks } from '../../provider/check-name.ts';
import type { Provider, ValidationStatus } from '../../provider/port.ts';
import { findNameCheck, listValidNameChecks } from '../../tables/name-checks/statements.ts';
import type { Db } from '../../tables/orm.ts';
import type { Entity } from '../../tables/rows.ts';

type Services = {
  db: Db;
  provider: Provider<'interactive'>;
  nameChecks: NameChecks;
  config: { requiresBankMatch: boolean; withdrawNameCheck: 'off' | 'inform' | 'require' };
};

/** A withdrawal that is not accepted yet. `acceptedCheckId` names the check whose result the user accepted. */
type Wanted = {
  bankDetails: Entity<'BankDetails'>;
  details: BankDetails;
  acceptedCheckId: string | null;
};

/**
 * Returns the result of the check that a withdrawal is accepted with. Null if it has none, and if checks are off.
 * @throws Refusal `bank_details_mismatch` if a match is required and the bank said that the name is another's; `not_found` for a check
 *   that the user does not have; or `name_check_required`.
 */
export async function nameCheckOf(services: Services, wanted: Wanted): Promise<ValidationStatus | null> {
  const { requiresBankMatch, withdrawNameCheck } = services.config;
  const { bankDetails, acceptedCheckId } = wanted;
  const valid = await validChecks(services, wanted);
  const answers = [bankDetails, ...valid].map(({ validationStatus }) => validationStatus);
  if (requiresBankMatch && answers.includes('no_match')) throw new Refusal('bank_details_mismatch');

  const [newest] = valid;
  const accepted = valid.find(({ id }) => id === acceptedCheckId);
  const counted = accepted ?? newest;
  const isEnough = accepted !== undefined || newest?.validationStatus === 'match';
  if (withdrawNameCheck === 'require' && !isEnough && !(await areAbsent(services, wanted)))
    throw new Refusal('name_check_required');
  return counted?.validationStatus ?? null;
}

type ValidCheck = { id: string; validationStatus: ValidationStatus };

/** Lists the checks that count for the withdrawal, the newest first. @throws Refusal `not_found` */
async function validChecks(
  { db, config }: Services,
  { bankDetails: { id, userId, version }, acceptedCheckId }: Wanted,
): Promise<ValidCheck[]> {
  const isOff = config.withdrawNameCheck === 'off';
  if (isOff && acceptedCheckId === null) return [];
  const now = (await DatabaseTime.read(db)).toDate();
  if (acceptedCheckId !== null) await assertOfUser(db, { id: acceptedCheckId, userId }, now);
  if (isOff) return [];
  return listValidNameChecks(db, { userId, bankDetailsId: id, bankDetailsVersion: version, now });
}

/** Asserts that the user has or had this check. One that is old enough may have been deleted. */
async function assertOfUser(db: Db, check: { id: string; userId: string }, now: Date): Promise<void> {
  const createdAt = madeAt(check.id);
  const mayBeDeleted = createdAt !== null && now.getTime() - createdAt.getTime() > NAMES_KEPT_MS;
  if (!mayBeDeleted && !(await findNameCheck(db, check))) throw new Refusal('not_found');
}

/** A provider without checks answers none, so a withdrawal needs none. */
const areAbsent = ({ nameChecks, provider }: Services, { details }: Wanted): Promise<boolean> =>
  nameChecks.areAbsent(provider, details);
