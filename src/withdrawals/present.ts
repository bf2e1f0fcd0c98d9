// Presents a withdrawal in the contract's form.
import type { Withdraw } from '../../openapi/generated/openapi.ts';
import type { Entity } from '../platform/entities/rows.ts';

export const withdrawFrom = (row: Entity<'Withdraw'>, provider: string): Withdraw => ({
  id: row.id,
  type: 'withdraw',
  status: row.state,
  sourceCurrency: row.currency,
  sourceAmount: row.amountMinor,
  provider,
  expectedSettlementSeconds: row.expectedSettlementSeconds,
  createdAt: row.createdAt.toISOString(),
});
