// Charges: what a dynamic code asks to be paid. A tester makes them. At most one payout of a charge is PENDING or COMPLETED.
import { dynamicCode } from '../br-code.ts';
import type { SandboxContext } from '../context.ts';
import { keyOwner } from '../magic.ts';
import type { ChargeRow, PayoutRow } from '../store/rows.ts';
import { newUuid } from './new-uuid.ts';
import type { Schemas } from './operation.ts';
import { refuse } from './refusal.ts';

const HOST = 'pix.sandbox.example';

export interface NewCharge {
  pixKey: string;
  pixKeyType: Schemas['PixKeyType'];
  /** In centavos. Null if the payer decides. */
  amount: number | null;
  isAmountFixed: boolean;
  expiresAt: number | null;
}

/** Makes a charge of a key. A key without an owner, or whose owner cannot be found, has a recipient all the same. */
export function createCharge(context: SandboxContext, charge: NewCharge): ChargeRow {
  const owner = keyOwner(charge.pixKey, charge.pixKeyType);
  const { name, institution } =
    typeof owner === 'string' ? { name: 'Loja Aurora', institution: 'Banco Estrela' } : owner;
  const uuid = newUuid();
  return context.store.insert<ChargeRow>('charges', {
    uuid,
    address: `${HOST}/${uuid.replaceAll('-', '')}`,
    pix_key: charge.pixKey,
    pix_key_type: charge.pixKeyType,
    recipient_name: name,
    institution_name: institution,
    amount: charge.amount,
    amount_is_fixed: charge.isAmountFixed ? 1 : 0,
    expires_at: charge.expiresAt,
    created_at: context.now(),
  });
}

/** Returns the text of the charge's code. */
export const codeOf = ({ address, recipient_name }: ChargeRow): string =>
  dynamicCode(address, { name: recipient_name.slice(0, 25), city: 'Sao Paulo' });

export const chargeAt = ({ store }: SandboxContext, address: string): ChargeRow | undefined =>
  store.get('select * from charges where address = ?', address);

/** Lists the latest charges, newest first. */
export const latestCharges = ({ store }: SandboxContext): ChargeRow[] =>
  store.all('select * from charges order by created_at desc, uuid desc limit 25');

/** Returns the payout that pays or has paid the charge. */
export const payoutOf = (
  { store }: SandboxContext,
  charge: string,
): Pick<PayoutRow, 'uuid' | 'status'> | undefined =>
  store.get(
    "select uuid, status from payouts where charge_uuid = ? and status in ('PENDING', 'COMPLETED') limit 1",
    charge,
  );

/** @throws 422 with the reason, if the charge can no longer be paid. */
export function assertPayable(context: SandboxContext, uuid: string): void {
  const charge = context.store.get<ChargeRow>('select * from charges where uuid = ?', uuid);
  if (payoutOf(context, uuid)) throw refuse('rejected', 'the charge is paid', { reason: 'already_paid' });
  if (charge && isOver(context, charge))
    throw refuse('rejected', 'the charge has expired', { reason: 'expired' });
}

export const isOver = (context: SandboxContext, { expires_at }: ChargeRow): boolean =>
  expires_at !== null && expires_at <= context.now();
