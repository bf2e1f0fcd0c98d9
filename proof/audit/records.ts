// Computes from the rows what the contract shows of them, to be compared with what apps were shown.
import type { Books } from './books.ts';
import type { Payment, Transaction, Transition, Withdraw } from './ours-rows.ts';
import { statusOf, transactionStatuses } from './rules/states.ts';
import type { Thing } from './shown.ts';

export type Recorded = {
  userId: string;
  /** The fields that never change. */
  fixed: Record<string, unknown>;
  /** The final values of the fields that change. */
  final: Record<string, unknown>;
  failure: string | null;
  /** Every status that the row has had, oldest first, with the time of its first occurrence in milliseconds since 1970. */
  statuses: { status: string; sinceMs: number }[];
  lastChangeMs: number;
};

export function recordsIn({
  ours,
  transitionsOf,
}: Books): (thing: Thing, id: string) => Recorded | undefined {
  const payments = new Map(ours.payments.map((row) => [row.id, row]));
  const paymentOf = new Map(ours.payments.map((row) => [row.transaction_id, row]));
  const withdraws = new Map(ours.withdraws.map((row) => [row.id, row]));
  const transactions = new Map(ours.transactions.map((row) => [row.id, row]));
  const refused = Map.groupBy(
    ours.discrepancies.filter(({ kind }) => kind === 'contradicted_state'),
    ({ subject_id: id }) => id,
  );
  const reportsOf = ({ id }: Payment): Report[] => [...transitionsOf(id), ...(refused.get(id) ?? [])];
  return (thing, id) => {
    if (thing === 'payment') {
      const row = payments.get(id);
      return row && { ...ofPayment(row), ...lifeOf(transitionsOf(id), statusOf) };
    }
    const row = transactions.get(id);
    if (thing === 'withdraw') {
      const withdraw = withdraws.get(id);
      return withdraw && { ...ofWithdraw(withdraw), ...lifeOf(transitionsOf(id), statusOf) };
    }
    if (!row) return undefined;
    const payment = paymentOf.get(id);
    if (row.type === 'deposit') return { ...ofTransaction(row, payment), ...lifeOfDeposit(row) };
    const life = payment
      ? lifeOf(transitionsOf(payment.id), (state) => transactionStatuses[statusOf(state)] ?? state)
      : lifeOf(transitionsOf(id), statusOf);
    if (!payment) return { ...ofTransaction(row, payment), ...life };
    const reports = reportsOf(payment);
    const lastChangeMs = Math.max(life.lastChangeMs, ...reports.map(({ at }) => at.getTime()));
    return { ...ofTransaction(row, payment, restoredBy(payment, reports)), ...life, lastChangeMs };
  };
}

const ofPayment = (row: Payment) => ({
  userId: row.user_id,
  fixed: {
    transactionId: row.transaction_id,
    amountBrl: (row.amount_brl_minor / 100).toFixed(2),
    sourceCurrency: row.source_currency,
    sourceAmount: row.source_amount_minor,
    feeAmount: feeOf(row),
    exchangeRate: row.exchange_rate,
    pixKeyType: row.pix_key_type,
    expiresAt: row.expires_at.toISOString(),
    createdAt: row.created_at.toISOString(),
  },
  final: { voucherId: row.voucher_id, endToEndId: row.end_to_end_id, failureCode: row.failure },
  failure: reasonOf(row),
});

/** What the sentence of a payment is about: the reason why the payout failed, if the provider says more than that it failed. */
function reasonOf({ state, failure, payout_failure_code: code, payout_failure_limit: limit }: Payment) {
  if (state !== 'payout_failed' || code === null || code === 'other') return failure;
  return limit ?? code;
}

/** The part of the cost above the reais at the rate, which are rounded up to the minor unit. */
function feeOf(row: Payment): number {
  const rateUnits = BigInt(row.exchange_rate.replace('.', ''));
  const atRate = (BigInt(row.amount_brl_minor) * 10n ** 8n + rateUnits - 1n) / rateUnits;
  return Math.max(0, row.source_amount_minor - Number(atRate));
}

const ofWithdraw = (row: Withdraw) => ({
  userId: row.user_id,
  fixed: {
    type: 'withdraw',
    sourceCurrency: row.currency,
    sourceAmount: row.amount_minor,
    createdAt: row.created_at.toISOString(),
  },
  final: {},
  failure: row.failure,
});

const ofTransaction = (row: Transaction, payment: Payment | undefined, restoredMinor = 0) => ({
  userId: row.user_id,
  fixed: {
    type: row.type,
    sourceCurrency: row.source_currency,
    sourceAmount: row.source_amount_minor,
    destCurrency: row.dest_currency,
    destAmount: row.dest_amount_minor,
    fxRate: row.fx_rate === null ? null : Number(row.fx_rate),
    provider: row.provider,
    pixPaymentId: payment?.id ?? null,
    createdAt: row.created_at.toISOString(),
  },
  final: {
    completedAt: row.completed_at?.toISOString() ?? null,
    failureCode: row.failure,
    heldAmount: payment ? heldBy(payment, restoredMinor) : null,
  },
  failure: row.failure,
});

/** Returns what the payment holds of the user's money while nothing is under way, in minor units. Null if it holds nothing. */
function heldBy({ state, settled_at: settledAt, home_debit_minor: debit }: Payment, restored: number) {
  if (state === 'payout_failed') return debit;
  if (state !== 'manual_review' || settledAt !== null || debit === null || restored >= debit) return null;
  return debit - restored;
}

type Report = Pick<Transition, 'event' | 'event_data' | 'at'>;

/** Returns how much of the payment's debit the provider has reported to be back in the home account, in minor units. */
const restoredBy = ({ home_debit_minor: debit, source_amount_minor: source }: Payment, reports: Report[]) =>
  Math.max(
    0,
    ...reports.map(({ event, event_data: figures }) => {
      if (event === 'direct.failed' || event === 'leg1.failed') return Math.max(debit ?? 0, source);
      const isBack = event === 'return.completed' || event === 'reverse.completed';
      return isBack ? Number(figures['destinationAmountMinor'] ?? source) : 0;
    }),
  );

function lifeOf(history: Transition[], shown: (state: string) => string) {
  const statuses: Recorded['statuses'] = [];
  for (const { to_state: to, at } of history) statuses.push({ status: shown(to), sinceMs: at.getTime() });
  return { statuses, lastChangeMs: statuses.at(-1)?.sinceMs ?? 0 };
}

const lifeOfDeposit = ({ status, created_at: at }: Transaction) => ({
  statuses: [{ status, sinceMs: at.getTime() }],
  lastChangeMs: at.getTime(),
});
