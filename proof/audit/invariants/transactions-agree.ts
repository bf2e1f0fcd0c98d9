// The customer's transaction always agrees with its payment or withdrawal, and each payment and withdrawal has exactly one.
import type { Books } from '../books.ts';
import type { Check } from '../counts.ts';
import { statusOf, transactionStatuses } from '../rules/states.ts';

export function transactionsAgree({ ours, transitionsOf }: Books, check: Check): void {
  const transactions = new Map(ours.transactions.map((transaction) => [transaction.id, transaction]));
  const orders = [
    ...ours.payments.map((row) => ({
      id: row.id,
      transactionId: row.transaction_id,
      facts: [
        'payment',
        transactionStatuses[statusOf(row.state)],
        row.user_id,
        row.source_currency,
        row.source_amount_minor,
        'BRL',
        row.amount_brl_minor,
      ],
    })),
    ...ours.withdraws.map((row) => ({
      id: row.id,
      transactionId: row.id,
      facts: [
        'withdraw',
        row.state,
        row.user_id,
        row.currency,
        row.amount_minor,
        // A withdrawal involves no conversion.
        null,
        null,
      ],
    })),
  ];
  for (const { id, transactionId, facts } of orders) {
    const row = transactions.get(transactionId);
    const shown = row && [
      row.type,
      row.status,
      row.user_id,
      row.source_currency,
      row.source_amount_minor,
      row.dest_currency,
      row.dest_amount_minor,
    ];
    check(
      id,
      shown?.join() === facts.join(),
      `shown as ${shown?.join(' ') ?? 'nothing'}, is ${facts.join(' ')}`,
    );
    const wasCompleted = transitionsOf(id).some(({ to_state: to }) => to === 'completed');
    check(
      id,
      row !== undefined && (row.completed_at !== null) === wasCompleted,
      'its time of completion is not its history’s',
    );
  }

  const owners = Map.groupBy(orders, ({ transactionId }) => transactionId);
  for (const { id, type } of ours.transactions)
    if (type !== 'deposit')
      check(
        id,
        owners.get(id)?.length === 1,
        `a ${type} with ${owners.get(id)?.length ?? 0} orders behind it`,
      );
}
