// PIX payments as apps poll them.
import type { Selectable } from 'kysely';
import { statusOf } from '../../machines/step.ts';
import type { PixPayment } from '../../openapi/generated/openapi.ts';
import type { PageRequest } from '../api/paging.ts';
import type { Db } from '../database/orm.ts';
import { formatDecimal } from '../domain/money.ts';
import type { Tables } from '../entities/index.ts';
import { places } from '../sealing/places.ts';
import type { Sealer } from '../sealing/sealer.ts';
import { after } from './after.ts';
import { sentenceOf } from './transactions.ts';

const columns = [
  'id',
  'user_id',
  'transaction_id',
  'state',
  'amount_brl_minor',
  'exchange_rate',
  'pix_key_type',
  'pix_key_sealed',
  'recipient_name_sealed',
  'end_to_end_id',
  'voucher_id',
  'failure',
  'expires_at',
  'created_at',
  'updated_at',
] as const;

export type PixPaymentView = Pick<Selectable<Tables['pix_payments']>, (typeof columns)[number]>;

export function findPixPayment(db: Db, userId: string, id: string): Promise<PixPaymentView | undefined> {
  return db
    .selectFrom('pix_payments')
    .select(columns)
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export function listPixPayments(db: Db, userId: string, request: PageRequest): Promise<PixPaymentView[]> {
  return db
    .selectFrom('pix_payments')
    .select(columns)
    .where('user_id', '=', userId)
    .where(after('pix_payments', request))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(request.limit + 1)
    .execute();
}

export async function pixPaymentFrom(sealer: Sealer, row: PixPaymentView): Promise<PixPayment> {
  const { id, user_id: userId, recipient_name_sealed: recipientName } = row;
  return {
    id,
    transactionId: row.transaction_id,
    status: statusOf(row.state),
    amountBrl: formatDecimal(row.amount_brl_minor, 'BRL'),
    exchangeRate: row.exchange_rate,
    pixKey: await sealer.open(places.pixKey(userId, id), row.pix_key_sealed),
    pixKeyType: row.pix_key_type,
    recipientName: recipientName && (await sealer.open(places.recipientName(userId, id), recipientName)),
    voucherId: row.voucher_id,
    endToEndId: row.end_to_end_id,
    failureReason: sentenceOf(row.failure),
    failureCode: row.failure,
    expiresAt: row.expires_at.toISOString(),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}
