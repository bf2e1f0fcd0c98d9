// Lists the payments that wait for the user or an operator: since when, the amounts, and the provider's reason.

import type { StateOf } from '../../machines/machines.ts';
import { states as all } from '../../machines/states.ts';
import { statusOf } from '../../machines/step.ts';
import type { PixPaymentStatus } from '../../openapi/generated/openapi.ts';
import { listPaymentsInStates, type PaymentInReview } from '../../src/tables/ops/payments.ts';
import { acknowledgementOf } from '../acknowledged.ts';
import { type CommandSpec, type SupportApp, valuesOf } from '../command.ts';
import { age, amount } from '../format.ts';
import { providerReason } from '../open-sealed.ts';
import { printList, stateColumn } from '../table.ts';

/** The statuses of PIX payments, in the order of the machine. */
export const paymentStatuses: readonly PixPaymentStatus[] = [...new Set(all.pix_payment.map(statusOf))];

export const paymentsCommand: CommandSpec = {
  name: 'payments',
  summary: 'PIX payments that wait for a person, with the reason that the provider gave',
  isList: true,
  isForSupport: true,
  options: {
    state: {
      placeholder: '<state,...>',
      summary: 'payments in these states',
      default: 'manual_review,payout_failed',
      values: paymentStatuses,
    },
  },
  run: async ({ app, out, options, limit }) => {
    const states = statesWithStatus(valuesOf(options['state']));
    const rows = await listPaymentsInStates(app.db, { states, limit: limit + 1 });
    const lines = await Promise.all(rows.map((row) => lineOf(app.sealer, row)));
    printList({ out, limit }, lines, `No payment is in ${String(options['state'])}.`, [
      { title: 'payment', of: ({ id }) => id },
      stateColumn('state', ({ state }) => state),
      { title: 'since', of: ({ since }) => age(since, out.now), alignRight: true },
      { title: 'pays', of: (row) => amount(row.amountBrlMinor, 'BRL'), alignRight: true },
      { title: 'for', of: (row) => amount(row.sourceAmountMinor, row.sourceCurrency), alignRight: true },
      { title: 'attempt', of: (row) => String(row.payoutAttempt || ''), alignRight: true },
      { title: 'reason', of: ({ failure }) => failure ?? '' },
      { title: 'acknowledged', of: ({ acknowledged }) => acknowledged?.reason ?? '' },
      { title: "the provider's reason", of: (row) => row.providerSaid ?? '' },
    ]);
  },
};

async function lineOf(sealer: SupportApp['sealer'], row: PaymentInReview) {
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
const statesWithStatus = (statuses: string[]): StateOf<'pix_payment'>[] =>
  all.pix_payment.filter((state) => statuses.includes(statusOf(state)));
