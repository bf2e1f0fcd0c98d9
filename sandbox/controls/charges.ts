// Makes a charge, as a shop does at its own institution, and returns the code that its customers scan.
import type { SandboxContext } from '../context.ts';
import { readAmount, writeAmount } from '../money.ts';
import { codeOf, createCharge } from '../provider/charges.ts';
import { refuse } from '../provider/refusal.ts';
import { isoTime } from '../time.ts';
import { oneOf, textOr, withPlaces } from './values.ts';

const PIX_KEY_TYPES = ['email', 'cpf', 'cnpj', 'phone', 'evp'] as const;
const DEFAULT_LIFE_SECONDS = 3_600;
const MAX_LIFE_SECONDS = 366 * 24 * 3_600;

/** Makes a charge of `{ amount?, payerDecides?, expiresInSeconds?, pixKey?, pixKeyType? }`. */
export function makeCharge(context: SandboxContext, body: Record<string, unknown>) {
  const amount = textOr(body['amount'], '');
  const payerDecides = oneOf(['no', 'yes'], body, 'payerDecides', 'no') === 'yes';
  const charge = createCharge(context, {
    pixKey: textOr(body['pixKey'], 'padaria@pix.example'),
    pixKeyType: oneOf(PIX_KEY_TYPES, body, 'pixKeyType', 'email'),
    amount: amount === '' ? null : readAmount(withPlaces(amount), 'BRL', 'amount'),
    isAmountFixed: amount !== '' && !payerDecides,
    expiresAt: context.now() + secondsIn(body) * 1_000,
  });
  return {
    charge_uuid: charge.uuid,
    code: codeOf(charge),
    amount: charge.amount === null ? null : writeAmount(charge.amount, 'BRL'),
    amount_is_fixed: charge.amount_is_fixed === 1,
    expires_at: charge.expires_at === null ? null : isoTime(charge.expires_at),
  };
}

function secondsIn({ expiresInSeconds: value = DEFAULT_LIFE_SECONDS }: Record<string, unknown>): number {
  const seconds = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
  if (typeof seconds === 'number' && Number.isInteger(seconds) && seconds >= 0 && seconds <= MAX_LIFE_SECONDS)
    return seconds;
  throw refuse('invalid_request', `expiresInSeconds must be a whole number from 0 to ${MAX_LIFE_SECONDS}`);
}
