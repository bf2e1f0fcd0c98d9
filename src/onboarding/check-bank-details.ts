// POST /bank-details/checks: asks the bank whether the name on a saved account is right, so that the user sees the answer before a
// withdrawal.
import type { BankDetailsCheck } from '../../openapi/generated/openapi.ts';
import { askUnlessSpent } from '../api/name-budget.ts';
import { type Handler, ok } from '../api/operation.ts';
import { newId } from '../domain/ids.ts';
import type { AnswerKind } from '../domain/name-budget.ts';
import { Refusal } from '../domain/refusals.ts';
import { required } from '../domain/required.ts';
import { activeAccount } from '../ledger/active-accounts.ts';
import { openBankDetails } from '../ledger/bank-details.ts';
import type { DatabaseClock } from '../platform/database/database-time.ts';
import { inDbTransaction, onOneConnection } from '../platform/database/db-transaction.ts';
import type { CheckedName, NameChecks } from '../provider/check-name.ts';
import type { BankValidation, Provider, ValidationStatus } from '../provider/port.ts';
import { encryptionContexts } from '../security/encryption-contexts.ts';
import type { Sealer } from '../security/sealer.ts';
import { listBankDetails } from '../tables/bank-details/statements.ts';
import { findNewestNameCheck, insertNameCheck } from '../tables/name-checks/statements.ts';
import type { Db } from '../tables/orm.ts';
import { listAccounts } from '../tables/provider-accounts/statements.ts';
import type { Entity } from '../tables/rows.ts';
import { lockUserRow } from '../tables/users/statements.ts';

type Services = {
  db: Db;
  databaseClock: DatabaseClock;
  metrics: { nameBudgetEmpty: () => void };
  nameChecks: NameChecks;
  provider: Provider<'interactive'>;
  sealer: Sealer;
};

export const checkBankDetails: Handler<'checkBankDetails', Services> = async (
  { user, body, requestId },
  services,
) => {
  const [saved, accounts] = await onOneConnection(services.db, (connection) => [
    listBankDetails(connection, { userId: user.id }),
    listAccounts(connection, { userId: user.id }),
  ]);
  // A user without a home currency has no account. The refusal names the missing step.
  await activeAccount(services.db, { userId: user.id, accounts }, [user.homeCurrency ?? body.currency]);
  const bankDetails = saved.find(({ currency }) => currency === body.currency);
  if (!bankDetails) throw new Refusal('bank_details_required');
  const details = await openBankDetails(services.sealer, bankDetails);
  const checked = await askUnlessSpent(
    services,
    { userId: user.id, requestId },
    () => services.nameChecks.check(services.provider, details),
    kindOf,
  );
  if (checked instanceof Refusal) return ok(await lastAnswer(services, bankDetails, checked));
  if (checked.outcome === 'unsupported') throw new Refusal('not_offered');
  const answer = checked.outcome === 'answered' ? checked.answer : NO_ANSWER;
  const { id: checkId, expiresAt } = await keepCheck(services.db, services.sealer, bankDetails, answer);
  if (checked.outcome === 'unavailable')
    throw new Refusal('name_check_unavailable', undefined, { cause: checked.cause, checkId });
  return ok({
    checkId,
    validationStatus: answer.status,
    suggestedName: answer.suggestedName,
    expiresAt: expiresAt.toISOString(),
  });
};

/** What is kept if there is no answer. A user who cannot wait for the bank accepts this result. */
const NO_ANSWER: BankValidation = { status: 'unavailable', suggestedName: null };

/** A match confirms a name, and a close match can suggest one. Another name was a guess, like a key without an owner. */
const kinds: Record<ValidationStatus, AnswerKind> = {
  match: 'name',
  close_match: 'name',
  no_match: 'nobody',
  not_possible: 'no_answer',
  unavailable: 'no_answer',
};

const kindOf = (checked: CheckedName): AnswerKind =>
  checked.outcome === 'answered' ? kinds[checked.answer.status] : 'no_answer';

/**
 * Returns the bank's last answer for these details. A user without tokens must be able to withdraw as well, so without an answer there is
 * a check that the user can accept. The lock makes it one for concurrent requests.
 * @throws Refusal `lookup_budget_spent` with this check.
 */
async function lastAnswer(
  { db, databaseClock, sealer }: Services,
  bankDetails: Entity<'BankDetails'>,
  { retryAfterSeconds }: Refusal,
): Promise<BankDetailsCheck> {
  const { id: bankDetailsId, userId, version: bankDetailsVersion } = bankDetails;
  const { last, checkId } = await inDbTransaction(db, async (tx) => {
    await lockUserRow(tx, { userId });
    const now = (await databaseClock.now(tx)).toDate();
    const newest = await findNewestNameCheck(tx, { userId, bankDetailsId, bankDetailsVersion, now });
    const { id } = newest ?? (await keepCheck(tx, sealer, bankDetails, NO_ANSWER));
    return { last: newest, checkId: id };
  });
  if (last === undefined || last.validationStatus === 'unavailable')
    throw new Refusal('lookup_budget_spent', undefined, { retryAfterSeconds, checkId });
  const { suggestedNameSealed, validationStatus, expiresAt } = last;
  const suggestedName =
    suggestedNameSealed === null
      ? null
      : await sealer.open(encryptionContexts.suggestedName(userId, checkId), suggestedNameSealed);
  return { checkId, validationStatus, suggestedName, expiresAt: expiresAt.toISOString() };
}

async function keepCheck(
  db: Db,
  sealer: Sealer,
  { id: bankDetailsId, userId, version: bankDetailsVersion }: Entity<'BankDetails'>,
  { status: validationStatus, suggestedName: name }: BankValidation,
): Promise<{ id: string; expiresAt: Date }> {
  const id = newId();
  const suggestedNameSealed =
    name === null ? null : await sealer.seal(encryptionContexts.suggestedName(userId, id), name);
  const check = { id, userId, bankDetailsId, bankDetailsVersion, validationStatus, suggestedNameSealed };
  return { id, expiresAt: required(await insertNameCheck(db, check), `the check ${id}`).expiresAt };
}
