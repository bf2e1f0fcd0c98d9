// The timeline of a PIX payment.
import type { App } from '../../app.ts';
import { maskPixKey } from '../../domain/masking.ts';
import { acknowledgementOf } from '../../queries/acknowledged.ts';
import { sentenceOf } from '../../queries/transactions.ts';
import { encryptionContexts } from '../../sealing/encryption-contexts.ts';
import { amount, moment, oneLine } from '../format.ts';
import type { Found } from './find.ts';
import { historyOf } from './history.ts';
import { liveResources } from './provider-resources.ts';
import type { Fact, Timeline } from './timeline.ts';

export async function pixPaymentTimeline(app: App, { id, userId }: Found, now: Date): Promise<Timeline> {
  const row = await readPayment(app, { id, userId });
  const home = row.source_currency;
  const subject = { id, userId, transactionId: row.transaction_id, home, paysIn: 'BRL' } as const;
  const [maskedKey, provider, history] = await Promise.all([
    maskedKeyOf(app, row),
    liveResources(app, subject, home),
    historyOf(app, subject, now),
  ]);
  return {
    what: 'PIX payment',
    id,
    state: row.state,
    since: row.state_entered_at,
    facts: factsOf(row, maskedKey),
    lists: [],
    provider,
    history,
  };
}

type Payment = Awaited<ReturnType<typeof readPayment>>;

const readPayment = ({ db }: App, { id, userId }: { id: string; userId: string }) =>
  db
    .selectFrom('pix_payments')
    .innerJoin('transactions', 'transactions.id', 'pix_payments.transaction_id')
    .innerJoin('users', 'users.id', 'pix_payments.user_id')
    .selectAll('pix_payments')
    .select(['transactions.status as transactionStatus', 'users.closed_at as closedAt'])
    .where('pix_payments.id', '=', id)
    .where('pix_payments.user_id', '=', userId)
    .executeTakeFirstOrThrow();

const maskedKeyOf = ({ sealer }: App, row: Payment): Promise<string> =>
  sealer.open(encryptionContexts.pixKey(row.user_id, row.id), row.pix_key_sealed).then(
    (opened) => maskPixKey(opened, row.pix_key_type),
    () => '(can no longer be opened)',
  );

function factsOf(row: Payment, maskedKey: string): Fact[] {
  const home = row.source_currency;
  const acknowledged = acknowledgementOf(row);
  return [
    { label: 'user', text: `${row.user_id}${row.closedAt ? `, closed ${moment(row.closedAt)}` : ''}` },
    { label: 'transaction', text: `${row.transaction_id}, ${row.transactionStatus}` },
    { label: 'pays', text: `${amount(row.amount_brl_minor, 'BRL')} to ${row.pix_key_type} ${maskedKey}` },
    {
      label: 'for',
      text: `${amount(row.source_amount_minor, home)} at ${row.exchange_rate}, ${flows[row.flow]}`,
    },
    { label: 'debited', text: amount(row.home_debit_minor, home) },
    { label: 'USDC quoted', text: amount(row.usdc_quoted_minor, 'USDC') },
    { label: 'USDC delivered', text: amount(row.usdc_delivered_minor, 'USDC') },
    { label: 'USDC left over', text: amount(row.usdc_residual_minor, 'USDC') },
    { label: 'payout attempt', text: String(row.payout_attempt || '') },
    { label: 'end-to-end id', text: row.end_to_end_id ?? '' },
    { label: 'voucher', text: row.voucher_id ?? '' },
    { label: 'reason', text: row.failure ?? '' },
    {
      label: 'acknowledged',
      text: acknowledged ? `${moment(acknowledged.at)}: ${oneLine(acknowledged.reason)}` : '',
    },
    { label: 'the user reads', text: sentenceOf(row.failure) ?? '' },
    { label: 'confirmed', text: moment(row.created_at) },
  ];
}

const flows = { direct: 'in one conversion', two_hop: 'in two conversions' };
