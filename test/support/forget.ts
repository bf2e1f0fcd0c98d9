// Deletes the rows of payments and withdrawals, as if a backup from before them had been restored. The provider still has everything.
import { byTable } from './by-table.ts';
import type { World } from './world.ts';

/**
 * @param subject a payment with its transaction, or a withdrawal, whose transaction has the same id.
 * @param hasQuote whether the backup is from after the payment's quote.
 */
export async function forget(
  { service }: World,
  { id, transactionId = id }: { id: string; transactionId?: string },
  { hasQuote = false }: { hasQuote?: boolean } = {},
): Promise<void> {
  await service.app.db.transaction().execute(async (tx) => {
    const [payment] = await byTable(tx)
      .deleteFrom('pix_payments')
      .where('id', '=', id)
      .returning('quote_id')
      .execute();
    if (payment && !hasQuote)
      await byTable(tx).deleteFrom('pix_quotes').where('id', '=', payment.quote_id).execute();
    await byTable(tx).deleteFrom('withdraws').where('id', '=', id).execute();
    await byTable(tx).deleteFrom('idempotency_keys').where('resource_id', '=', id).execute();
    for (const table of ['transitions', 'provider_resources', 'effects'] as const)
      await byTable(tx).deleteFrom(table).where('subject_id', '=', id).execute();
    await byTable(tx).deleteFrom('webhook_events').where('transaction_id', '=', transactionId).execute();
    await byTable(tx).deleteFrom('transactions').where('id', '=', transactionId).execute();
  });
}
