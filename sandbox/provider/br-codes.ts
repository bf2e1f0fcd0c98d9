// Readings of PIX codes. A payout can name the code that it pays.
import { readCode } from '../br-code.ts';
import type { SandboxContext } from '../context.ts';
import { type CodeOutcome, codeOutcome, keyOwner } from '../magic.ts';
import { readAmount, writeAmount } from '../money.ts';
import type { BrCodeRow, ChargeRow } from '../store/rows.ts';
import { isoTime } from '../time.ts';
import { assertPayable, chargeAt, createCharge, isOver, payoutOf } from './charges.ts';
import type { Operation } from './handler.ts';
import { newUuid } from './new-uuid.ts';
import { ok, type Schemas } from './operation.ts';
import { refuse } from './refusal.ts';

const MINUTE_MS = 60_000;

export const createBrCode: Operation<Schemas['BrCodeCreate']> = (context, { body }) => {
  const owner_uuid = body.owner_uuid.toLowerCase();
  // A 404 would say that the provider does not read codes.
  if (!context.store.get('select 1 from owners where uuid = ?', owner_uuid))
    throw refuse('invalid_request', 'no such owner');
  const content = contentOf(context, body.payload);
  const row = context.store.insert<BrCodeRow>('br_codes', {
    uuid: newUuid(),
    owner_uuid,
    ...content,
    created_at: context.now(),
  });
  return ok(present(row));
};

type Content = Omit<BrCodeRow, 'uuid' | 'owner_uuid' | 'created_at'>;

/** @throws 422 with the reason, if the code cannot be paid. */
function contentOf(context: SandboxContext, payload: string): Content {
  const outcome = codeOutcome(payload);
  if (outcome !== null && !(outcome in NEW_CHARGES))
    throw refuse('rejected', 'as its magic value says', { reason: outcome });
  if (outcome !== null) return contentOfCharge(newCharge(context, outcome as keyof typeof NEW_CHARGES));
  const code = readCode(payload);
  if (typeof code === 'string') throw refuse('rejected', 'the text is no PIX code', { reason: code });
  if ('key' in code) return contentOfKey(code.key, code.amount);
  const charge = chargeAt(context, code.address);
  if (!charge) throw refuse('rejected', 'nothing answers at the address', { reason: 'unavailable' });
  if (payoutOf(context, charge.uuid)?.status === 'COMPLETED')
    throw refuse('rejected', 'the charge is paid', { reason: 'already_paid' });
  if (isOver(context, charge)) throw refuse('rejected', 'the charge has expired', { reason: 'expired' });
  return contentOfCharge(charge);
}

/** The magic codes with a new charge at each reading: its amount in centavos, and the time until it expires. */
const NEW_CHARGES = {
  fixed: { amount: 1_000, isAmountFixed: true, lifeMs: 60 * MINUTE_MS },
  open: { amount: null, isAmountFixed: false, lifeMs: 60 * MINUTE_MS },
  soon: { amount: 1_000, isAmountFixed: true, lifeMs: 5 * MINUTE_MS },
} satisfies Partial<Record<CodeOutcome, object>>;

function newCharge(context: SandboxContext, outcome: keyof typeof NEW_CHARGES): ChargeRow {
  const { lifeMs, ...charge } = NEW_CHARGES[outcome];
  const key = { pixKey: 'padaria@pix.example', pixKeyType: 'email' } as const;
  return createCharge(context, { ...key, ...charge, expiresAt: context.now() + lifeMs });
}

const contentOfCharge = (charge: ChargeRow): Content => ({
  charge_uuid: charge.uuid,
  pix_key: charge.pix_key,
  pix_key_type: charge.pix_key_type,
  recipient_name: charge.recipient_name,
  institution_name: charge.institution_name,
  amount: charge.amount,
  amount_is_fixed: charge.amount_is_fixed,
  expires_at: charge.expires_at,
});

function contentOfKey(key: string, amount: string | null): Content {
  const pix_key_type = typeOf(key);
  const owner = keyOwner(key, pix_key_type);
  if (owner === 'unavailable')
    throw refuse('rejected', 'the directory does not answer', { reason: 'unavailable' });
  if (owner === 'unknown') throw refuse('rejected', 'the key leads to no account', { reason: 'damaged' });
  return {
    charge_uuid: null,
    pix_key: key,
    pix_key_type,
    recipient_name: owner.name,
    institution_name: owner.institution,
    amount: amount === null || Number(amount) === 0 ? null : readAmount(amount, 'BRL', 'amount'),
    amount_is_fixed: 0,
    expires_at: null,
  };
}

function typeOf(key: string): Schemas['PixKeyType'] {
  if (key.includes('@')) return 'email';
  if (key.startsWith('+')) return 'phone';
  if (key.includes('-')) return 'evp';
  return key.length === 11 ? 'cpf' : 'cnpj';
}

const present = ({ owner_uuid: _asker, created_at: _at, ...row }: BrCodeRow): Schemas['BrCode'] => ({
  ...row,
  kind: row.charge_uuid === null ? 'STATIC' : 'DYNAMIC',
  amount: row.amount === null ? null : writeAmount(row.amount, 'BRL'),
  amount_is_fixed: row.amount_is_fixed === 1,
  txid: row.charge_uuid?.replaceAll('-', '') ?? null,
  expires_at: row.expires_at === null ? null : isoTime(row.expires_at),
});

/**
 * Returns the charge that a payout with this code pays. Null if it names no code, or a static one.
 * @throws a refusal if there is no such code, or if it cannot be paid with the amount.
 */
export function chargeToPay(
  context: SandboxContext,
  uuid: string | undefined,
  amount: number,
): string | null {
  if (uuid === undefined) return null;
  const code = context.store.get<BrCodeRow>('select * from br_codes where uuid = ?', uuid.toLowerCase());
  if (!code) throw refuse('invalid_request', 'no such code');
  if (code.amount_is_fixed === 1 && code.amount !== amount)
    throw refuse('rejected', 'the code has another amount');
  if (code.charge_uuid !== null) assertPayable(context, code.charge_uuid);
  return code.charge_uuid;
}
