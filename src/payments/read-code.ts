// POST /pix/codes: returns what a PIX code asks to be paid, and to whom. The provider reads it. This service never fetches the address in
// a code.
import type { ErrorCode } from '../../openapi/generated/openapi.ts';
import { askWithinBudget } from '../api/name-budget.ts';
import { type Handler, ok } from '../api/operation.ts';
import { newId } from '../domain/ids.ts';
import { formatDecimal } from '../domain/money.ts';
import type { AnswerKind } from '../domain/name-budget.ts';
import type { PixKeyType } from '../domain/pix-key.ts';
import { keyboardTextOf } from '../domain/plain-text.ts';
import { isExpired } from '../domain/quote-life.ts';
import { Refusal } from '../domain/refusals.ts';
import { required } from '../domain/required.ts';
import type { DatabaseClock } from '../platform/database/database-time.ts';
import type { BrCode, Provider } from '../provider/port.ts';
import { type CodeRead, readBrCode } from '../provider/read-br-code.ts';
import { encryptionContexts } from '../security/encryption-contexts.ts';
import type { Sealer } from '../security/sealer.ts';
import type { Db } from '../tables/orm.ts';
import { findCode, insertCode } from '../tables/pix-codes/statements.ts';
import { mayBeDeleted, ownerRefOf } from './look-up-recipient.ts';

type Services = {
  db: Db;
  databaseClock: DatabaseClock;
  metrics: { nameBudgetEmpty: () => void };
  provider: Provider<'interactive'>;
  sealer: Sealer;
};

export const readPixCode: Handler<'readPixCode', Services> = async ({ user, body, requestId }, services) => {
  const text = keyboardTextOf(body.code);
  if (text === '') throw new Refusal('code_not_pix');
  const ownerRef = await ownerRefOf(services.db, user);
  const answer = await askWithinBudget(
    services,
    { userId: user.id, requestId },
    () => readBrCode(services.provider, { ownerRef, text }),
    ({ outcome }) => answers[outcome].kind,
  );
  if (answer.outcome !== 'read') throw refusalOf(answer);
  const { code } = answer;
  const { id, expiresAt } = await keepCode(services, user.id, code);
  return ok({
    codeId: id,
    kind: code.kind,
    pixKey: code.pixKey,
    pixKeyType: code.pixKeyType,
    recipientName: code.name,
    institution: code.institution,
    amountBrl: code.amountBrlMinor === null ? null : formatDecimal(code.amountBrlMinor, 'BRL'),
    isAmountFixed: code.isAmountFixed,
    expiresAt: expiresAt.toISOString(),
  });
};

/**
 * The cost and the refusal of each outcome. Nobody can guess the address of a charge, so the answer about one costs as little as a name.
 * Anybody can make a static code of any key, so a text that leads to nobody costs as much as an unknown key.
 */
const answers = {
  read: { kind: 'name', refusal: null },
  expired: { kind: 'name', refusal: 'code_expired' },
  already_paid: { kind: 'name', refusal: 'code_already_paid' },
  cancelled: { kind: 'name', refusal: 'code_cancelled' },
  not_pix: { kind: 'nobody', refusal: 'code_not_pix' },
  not_supported: { kind: 'nobody', refusal: 'code_not_supported' },
  damaged: { kind: 'nobody', refusal: 'code_damaged' },
  unavailable: { kind: 'no_answer', refusal: 'code_unavailable' },
  unsupported: { kind: 'no_answer', refusal: 'not_offered' },
} as const satisfies Record<CodeRead['outcome'], { kind: AnswerKind; refusal: ErrorCode | null }>;

const refusalOf = (answer: Exclude<CodeRead, { outcome: 'read' }>): Refusal =>
  new Refusal(
    answers[answer.outcome].refusal,
    undefined,
    answer.outcome === 'unavailable' ? { cause: answer.cause } : {},
  );

/** Stores a code. Returns until when a payment may use it. */
async function keepCode(
  { db, sealer }: Pick<Services, 'db' | 'sealer'>,
  userId: string,
  code: BrCode,
): Promise<{ id: string; expiresAt: Date }> {
  const id = newId();
  const row = await insertCode(db, {
    id,
    userId,
    providerCodeId: code.codeRef,
    kind: code.kind,
    chargeId: code.chargeRef,
    pixKeyType: code.pixKeyType,
    pixKeySealed: await sealer.seal(encryptionContexts.codeKey(userId, id), code.pixKey),
    recipientNameSealed: await sealer.seal(encryptionContexts.codeName(userId, id), code.name),
    institution: code.institution,
    amountBrlMinor: code.amountBrlMinor,
    isAmountFixed: code.isAmountFixed,
    chargeExpiresAt: code.chargeExpiresAt,
  });
  const { expiresAt } = required(row, `the code ${id}`);
  const chargeExpiresAt = code.chargeExpiresAt ?? expiresAt;
  return { id, expiresAt: chargeExpiresAt < expiresAt ? chargeExpiresAt : expiresAt };
}

type Order = { pixKey: string; pixKeyType: PixKeyType; amountBrlMinor: number };

/**
 * Finds a code that a payment uses: the name that the user saw, and the charge that the payment must claim.
 * @param soonMs the time that a charge must remain payable, in milliseconds: after the conversion, an expired code could only be returned.
 * @param now the database's clock, which also set the code's end.
 * @throws Refusal `not_found`; `code_outdated`, also for a code that may have been deleted; `code_of_another_key`;
 *   `code_of_another_amount`; `code_expired`; or `code_expires_soon`.
 */
export async function codeToPay(
  { db, sealer }: Pick<Services, 'db' | 'sealer'>,
  { id, userId }: { id: string; userId: string },
  { pixKey, pixKeyType, amountBrlMinor }: Order,
  soonMs: number,
  now: Date,
): Promise<{ name: string; chargeRef: string | null }> {
  const code = await findCode(db, { id, userId });
  if (!code) throw new Refusal(mayBeDeleted(id, now) ? 'code_outdated' : 'not_found');
  const open = await sealer.openerOf(userId);
  const isOfKey =
    code.pixKeyType === pixKeyType &&
    open(encryptionContexts.codeKey(userId, code.id), code.pixKeySealed) === pixKey;
  if (!isOfKey) throw new Refusal('code_of_another_key');
  if (code.isAmountFixed && code.amountBrlMinor !== amountBrlMinor)
    throw new Refusal('code_of_another_amount');
  const { chargeExpiresAt } = code;
  if (chargeExpiresAt !== null && isExpired(chargeExpiresAt, now)) throw new Refusal('code_expired');
  if (chargeExpiresAt !== null && chargeExpiresAt.getTime() - now.getTime() < soonMs)
    throw new Refusal('code_expires_soon');
  if (isExpired(code.expiresAt, now)) throw new Refusal('code_outdated');
  return {
    name: open(encryptionContexts.codeName(userId, code.id), code.recipientNameSealed),
    chargeRef: code.chargeId,
  };
}
