// Payments that wait for a person: since when, how much, and the reason that the provider gave.
import type { StateOf } from '../../../machines/machines.ts';
import { states } from '../../../machines/states.ts';
import { statusOf } from '../../../machines/step.ts';
import type { App } from '../../app.ts';
import { oneOf } from '../../database/one-of.ts';
import type { FailureCode } from '../../domain/failure-reasons.ts';
import { acknowledgementOf } from '../../queries/acknowledged.ts';
import { type Call, valuesOf } from '../command.ts';
import { age, amount, oneLine } from '../format.ts';
import { providerReason } from '../open-sealed.ts';
import { paintState } from '../paint.ts';
import { type Column, printList } from '../table.ts';

export async function run({ app, out, options, limit }: Call): Promise<void> {
  const rows = await paymentsIn(app, valuesOf(options['state']), limit + 1);
  const lines = await Promise.all(rows.map((row) => lineOf(app, row)));
  const columns: Column<PaymentLine>[] = [
    { title: 'payment', of: ({ id }) => id },
    { title: 'state', of: ({ state }) => state, paint: ({ state }, style) => paintState(state, style) },
    { title: 'since', of: ({ since }) => age(since, out.now), alignRight: true },
    { title: 'pays', of: (row) => amount(row.amountBrlMinor, 'BRL'), alignRight: true },
    { title: 'for', of: (row) => amount(row.sourceAmountMinor, row.sourceCurrency), alignRight: true },
    { title: 'attempt', of: (row) => String(row.payoutAttempt || ''), alignRight: true },
    { title: 'reason', of: ({ failure }) => failure ?? '' },
    { title: 'acknowledged', of: ({ acknowledged }) => oneLine(acknowledged?.reason ?? '') },
    { title: "the provider's reason", of: (row) => row.providerSaid ?? '' },
  ];
  printList({ out, limit }, columns, lines, `No payment is in ${String(options['state'])}.`);
}

type PaymentState = StateOf<'pix_payment'>;

export type PaymentLine = {
  id: string;
  transactionId: string;
  userId: string;
  state: PaymentState;
  since: Date;
  amountBrlMinor: number;
  sourceCurrency: string;
  sourceAmountMinor: number;
  payoutAttempt: number;
  failure: FailureCode | null;
  /** The operator's reason and its time; null while the payment waits for an operator. */
  acknowledged: { at: Date; reason: string } | null;
  providerSaid: string | null;
};

type PaymentRow = Awaited<ReturnType<typeof paymentsIn>>[number];

/** The longest waiting first. */
const paymentsIn = ({ db }: App, statuses: string[], limit: number) =>
  db
    .selectFrom('pix_payments as payment')
    .leftJoinLateral(
      (of) =>
        of
          .selectFrom('provider_resources')
          .select(['handle', 'reason_sealed', 'reason_sealed_at'])
          .whereRef('subject_id', '=', 'payment.id')
          .whereRef('user_id', '=', 'payment.user_id')
          .where('reason_sealed', 'is not', null)
          .orderBy('snapshot_updated_at', 'desc')
          .limit(1)
          .as('fault'),
      (join) => join.onTrue(),
    )
    .select([
      'payment.id',
      'payment.transaction_id as transactionId',
      'payment.user_id as userId',
      'payment.state',
      'payment.state_entered_at as since',
      'payment.amount_brl_minor as amountBrlMinor',
      'payment.source_currency as sourceCurrency',
      'payment.source_amount_minor as sourceAmountMinor',
      'payment.payout_attempt as payoutAttempt',
      'payment.failure',
      'payment.seq',
      'payment.acknowledged_seq',
      'payment.acknowledged_at',
      'payment.acknowledgement',
      'fault.handle',
      'fault.reason_sealed',
      'fault.reason_sealed_at',
    ])
    .where('payment.state', 'in', oneOf(statesWithStatus(statuses)))
    .orderBy('payment.state_entered_at')
    .limit(limit)
    .execute();

async function lineOf(app: App, row: PaymentRow): Promise<PaymentLine> {
  const { handle, reason_sealed, reason_sealed_at, ...payment } = row;
  const { seq, acknowledged_seq, acknowledged_at, acknowledgement, ...shown } = payment;
  return {
    ...shown,
    acknowledged: acknowledgementOf({ seq, acknowledged_seq, acknowledged_at, acknowledgement }),
    providerSaid:
      handle && (await providerReason(app, { user_id: row.userId, handle, reason_sealed, reason_sealed_at })),
  };
}

/** A status of the API stands for one or several states of a row. */
const statesWithStatus = (statuses: string[]): PaymentState[] =>
  states.pix_payment.filter((state) => statuses.includes(statusOf(state)));
