// PIX payments as apps poll them.
import { type Selectable, type ShallowDehydrateObject, sql } from 'kysely';
import { states } from '../../machines/states.ts';
import { statusOf } from '../../machines/step.ts';
import type { PixPayment } from '../../openapi/generated/openapi.ts';
import { oneOf } from '../database/one-of.ts';
import type { Db } from '../database/orm.ts';
import { formatDecimal } from '../domain/money.ts';
import type { Tables } from '../entities/index.ts';
import { encryptionContexts } from '../sealing/encryption-contexts.ts';
import type { Sealer } from '../sealing/sealer.ts';
import { after } from './after.ts';
import type { KeysetPage } from './paging.ts';
import { bytesOf, isoTime, listOf, oneRow, type Rows } from './rows.ts';
import { sentenceOf } from './transactions.ts';

const columns = [
  'id',
  'user_id',
  'transaction_id',
  'state',
  'amount_brl_minor',
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

export type PixPaymentView = ShallowDehydrateObject<
  Pick<Selectable<Tables['pix_payments']>, (typeof columns)[number] | 'exchange_rate'>
>;

/** The rate as text, with all its places: a number of JSON would not keep them. */
const shown = sql`${sql.join(columns.map((column) => sql.ref(column)))}, exchange_rate::text as exchange_rate`;

export const pixPaymentOf = (userId: string, id: string): Rows<PixPaymentView | null> =>
  oneRow(sql`select ${shown} from pix_payments where user_id = ${userId} and id = ${id}`);

export const pixPaymentsOf = (userId: string, request: KeysetPage): Rows<PixPaymentView[]> =>
  listOf(sql`
    select ${shown} from pix_payments where user_id = ${userId} and ${after('pix_payments', request)}
    order by created_at desc, id desc limit ${request.limit + 1}`);

const onTheirWay = states.pix_payment.filter((state) => ['converting', 'paying'].includes(statusOf(state)));
/** What is older has ended, or waits for somebody. */
const NEWEST = 100;

/** How many of the user's newest payments are `converting` or `paying`. */
export async function countUnfinished(db: Db, userId: string): Promise<number> {
  const { rows } = await sql<{ many: number }>`
    select count(*)::int as many from (
      select state from pix_payments where user_id = ${userId} order by created_at desc, id desc limit ${sql.lit(NEWEST)}
    ) as newest
    where state in ${oneOf(onTheirWay)}`.execute(db);
  return rows[0]?.many ?? 0;
}

export async function pixPaymentFrom(sealer: Sealer, row: PixPaymentView): Promise<PixPayment> {
  const { id, user_id: userId, recipient_name_sealed: name } = row;
  return {
    id,
    transactionId: row.transaction_id,
    status: statusOf(row.state),
    amountBrl: formatDecimal(row.amount_brl_minor, 'BRL'),
    exchangeRate: row.exchange_rate,
    pixKey: await sealer.open(encryptionContexts.pixKey(userId, id), bytesOf(row.pix_key_sealed)),
    pixKeyType: row.pix_key_type,
    recipientName: name && (await sealer.open(encryptionContexts.recipientName(userId, id), bytesOf(name))),
    voucherId: row.voucher_id,
    endToEndId: row.end_to_end_id,
    failureReason: sentenceOf(row.failure),
    failureCode: row.failure,
    expiresAt: isoTime(row.expires_at),
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
  };
}
