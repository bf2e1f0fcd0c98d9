// Lists the payments that wait for the user or an operator: since when, the amounts, and the provider's reason.

import type { StateOf } from '../../../../machines/machines.ts';
import { states as all } from '../../../../machines/states.ts';
import { statusOf } from '../../../../machines/step.ts';
import type { PixPaymentStatus } from '../../../../openapi/generated/openapi.ts';
import type { FailureCode } from '../../../../src/domain/failure-reasons.ts';
import type { Sealer } from '../../../../src/platform/security/sealer.ts';
import { listPaymentsInStates, type PaymentInReview } from '../../../../src/platform/sql/ops/payments.ts';
import { acknowledgementOf } from '../acknowledged.ts';
import { type CommandCall, type CommandSpec, valuesOf } from '../command.ts';
import { age, amount, oneLine, paintState } from '../format.ts';
import { providerReason } from '../open-sealed.ts';
import { type Column, printList } from '../table.ts';

/** The statuses of PIX payments, in the order of the machine. */
export const paymentStatuses: readonly PixPaymentStatus[] = [...new Set(all.pix_payment.map(statusOf))];

export const paymentsCommand: CommandSpec = {
  name: 'payments',
  summary: 'PIX payments that wait for a person, with the reason that the provider gave',
  isList: true,
  options: {
    state: {
      placeholder: '<state,...>',
      summary: 'payments in these states',
      default: 'manual_review,payout_failed',
      values: paymentStatuses,
    },
  },
  run,
};

async function run({ app, out, options, limit }: CommandCall): Promise<void> {
  const states = statesWithStatus(valuesOf(options['state']));
  const rows = await listPaymentsInStates(app.db, { states, limit: limit + 1 });
  const lines = await Promise.all(rows.map((row) => lineOf(app.sealer, row)));
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

async function lineOf(sealer: Sealer, row: PaymentInReview): Promise<PaymentLine> {
  const { handle, reasonSealed, reasonSealedAt, ...payment } = row;
  const { seq, acknowledgedSeq, acknowledgedAt, acknowledgement, ...shown } = payment;
  return {
    ...shown,
    acknowledged: acknowledgementOf({ seq, acknowledgedSeq, acknowledgedAt, acknowledgement }),
    providerSaid:
      handle && (await providerReason(sealer, { userId: row.userId, handle, reasonSealed, reasonSealedAt })),
  };
}

/** Returns the states of rows that the API shows as one of these statuses. A status may stand for several states. */
const statesWithStatus = (statuses: string[]): PaymentState[] =>
  all.pix_payment.filter((state) => statuses.includes(statusOf(state)));
